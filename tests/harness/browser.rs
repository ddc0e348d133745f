//! A real browser that looks at pages of ours, driven over a pipe (Chrome DevTools Protocol). Needs `chromium`.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

/// One window.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u64,
    session: Option<String>,
    events: Vec<Value>,
    errors: PathBuf,
}

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// The width of the window; its height is 844.
    pub width: u32,
    /// `light` or `dark`.
    pub scheme: &'static str,
    /// Whether scripts run.
    pub scripts: bool,
}

impl View {
    /// With scripts.
    pub fn of(width: u32, scheme: &'static str) -> Self {
        Self { width, scheme, scripts: true }
    }
}

impl Browser {
    /// Starts one that keeps what it writes in a folder.
    pub fn start(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        let errors = folder.join("stderr");
        let mut child = Command::new("sh")
            .args(["-c", "exec chromium --headless --no-sandbox --disable-gpu --remote-debugging-pipe \"$@\" 3<&0 4>&1 </dev/null >/dev/null"])
            .args(["sh", &format!("--user-data-dir={}", folder.display())])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut browser = Self { child, input, output, calls: 0, session: None, events: Vec::new(), errors };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Shows a page, and waits until it is there.
    pub fn open(&mut self, page: &Path, view: View) {
        let metrics = json!({ "width": view.width, "height": 844, "deviceScaleFactor": 1, "mobile": view.width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = json!([{ "name": "prefers-color-scheme", "value": view.scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": scheme }));
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !view.scripts }));
        self.events.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.next();
            self.events.push(event);
        }
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn eval(&mut self, expression: &str) -> Value {
        let answer = self.call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer:#}");
        answer["result"]["value"].clone()
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "ArrowRight" => (39, ""),
            other => panic!("the key {other} is not known here"),
        };
        let event = |kind: &str| json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
        let mut down = event(if text.is_empty() { "rawKeyDown" } else { "keyDown" });
        if !text.is_empty() {
            down["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", event("keyUp"));
    }

    /// Presses Tab until an element has the focus.
    #[track_caller]
    pub fn tab_to(&mut self, selector: &str) {
        for _ in 0..400 {
            self.press("Tab");
            if self.eval(&format!("document.activeElement.matches({})", Value::from(selector))) == true {
                return;
            }
        }
        panic!("no way to {selector} by the keyboard");
    }

    /// Types a text where the focus is.
    pub fn enter(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// What the browser complained about since the page was opened: errors, refusals of the page's own policy.
    pub fn complaints(&self) -> Vec<&Value> {
        let loud = ["Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"];
        self.events.iter().filter(|event| loud.iter().any(|name| event["method"] == *name)).collect()
    }

    /// What the browser asked for since then, whether it got it or not.
    pub fn requests(&self) -> Vec<&str> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap()).collect()
    }

    #[track_caller]
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let sent = self.input.write_all(format!("{message}\0").as_bytes()).and_then(|()| self.input.flush());
        if sent.is_err() {
            self.gone();
        }
        loop {
            let mut answer = self.next();
            if answer["id"] != self.calls {
                self.events.push(answer);
                continue;
            }
            assert!(answer.get("error").is_none(), "{method}: {answer:#}");
            return answer["result"].take();
        }
    }

    #[track_caller]
    fn next(&mut self) -> Value {
        let mut message = Vec::new();
        self.output.read_until(0, &mut message).unwrap();
        if message.pop() != Some(0) {
            self.gone();
        }
        serde_json::from_slice(&message).unwrap()
    }

    #[track_caller]
    fn gone(&self) -> ! {
        let said = fs::read_to_string(&self.errors).unwrap_or_default();
        panic!("`chromium` is not there or went away; install it: {said}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
