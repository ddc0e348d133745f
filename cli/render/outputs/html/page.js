(() => {
  'use strict';
  const at = (id) => document.getElementById(id);
  // What a link leads to must be open to be seen.
  const open = (hash) => {
    const target = hash && at(decodeURIComponent(hash.slice(1)));
    for (let place = target; place; place = place.parentElement) if (place.tagName === 'DETAILS') place.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener('hashchange', () => open(location.hash));
  addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link) open(link.hash);
  });
  open(location.hash);

  const data = at('data');
  if (!data) return;
  const { checks, words, flaky, tests } = JSON.parse(data.textContent);
  const names = tests.map((test) => test[0].toLowerCase());
  const form = at('filter'), search = at('search'), of = at('of'), rows = at('rows'), count = at('count'), more = at('more');
  const STEP = 100;
  let found = [], shown = 0, needle = '';

  const element = (name, content, style) => {
    const made = document.createElement(name);
    if (style) made.className = style;
    made.append(...[].concat(content));
    return made;
  };

  // The part that was searched for, marked. Names whose length changes with their case are left as they are.
  const name = (index) => {
    const text = tests[index][0], place = needle ? names[index].indexOf(needle) : -1;
    if (place < 0 || names[index].length !== text.length) return text;
    const end = place + needle.length;
    return [text.slice(0, place), element('mark', text.slice(place, end)), text.slice(end)];
  };

  const row = (index) => {
    const [, check, base, candidate, kinds] = tests[index];
    const after = kinds & flaky ? words[candidate] + ', flaky' : words[candidate];
    const title = [element('code', name(index)), ' ', element('small', checks[check])];
    return element('tr', [element('td', title), element('td', words[base], words[base]), element('td', after, words[candidate])]);
  };

  const show = () => {
    const next = found.slice(shown, shown + STEP);
    rows.append(...next.map(row));
    shown += next.length;
    more.hidden = shown === found.length;
    more.textContent = `Show ${Math.min(STEP, found.length - shown)} more`;
    const rest = shown < found.length ? `, the first ${shown} are shown` : '';
    count.textContent = found.length ? `${found.length} of ${tests.length} tests${rest}` : 'No test matches.';
  };

  const narrow = () => {
    needle = search.value.trim().toLowerCase();
    const kind = Number(form.elements.kind.value), check = of ? Number(of.value) : -1;
    found = [];
    for (let index = 0; index < tests.length; index++) {
      const test = tests[index];
      if (!(test[4] & kind) || (check >= 0 && test[1] !== check)) continue;
      if (needle && !names[index].includes(needle)) continue;
      found.push(index);
    }
    rows.replaceChildren();
    shown = 0;
    show();
  };

  form.addEventListener('input', narrow);
  form.addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', () => {
    const first = shown;
    show();
    // Whoever pages by keyboard goes on where the new rows begin.
    const next = rows.children[first];
    if (next) { next.tabIndex = -1; next.focus({ preventScroll: true }); }
  });
  form.hidden = false;
  narrow();
})();
