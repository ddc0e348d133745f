//! A pack as text, before anything is checked.
//!
//! Its JSON form holds all that judges, the operator's settings included: a stored run is judged again from it alone.

use std::collections::BTreeMap;

use runmill_model::{Digest, Level, PackName, RuleId, Stage, Value};
use serde::{Deserialize, Serialize};

/// A pack as its folder and its manifest give it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackSource {
    /// Its name.
    pub name: PackName,
    /// Its version, as written in `pack.kdl`.
    pub version: String,
    /// The digest of its folder.
    pub digest: Digest,
    /// Its parameters by name, defaults filled in: texts, whole numbers, truth values, or lists of those.
    #[serde(with = "params")]
    pub params: BTreeMap<String, Value>,
    /// Levels that the operator decided, by rule.
    pub levels: BTreeMap<RuleId, Level>,
    /// Its rules, one a file.
    pub rules: Vec<RuleFile>,
    /// Its shared functions.
    pub lib: Vec<LibFile>,
    /// The runners whose words it knows, as KDL; no rule reads it. Absent in most packs.
    pub runners: Option<String>,
}

/// The text of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// The path inside the pack, such as `verdict/zero-tests.rhai`.
    pub path: String,
    /// The stage whose folder it stands in.
    pub stage: Stage,
    /// The text.
    pub text: String,
}

/// The text of one file of shared functions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibFile {
    /// The name rules call it by, as in `name::function(x)`.
    pub name: String,
    /// The path inside the pack, such as `lib/name.rhai`.
    pub path: String,
    /// The text.
    pub text: String,
}

/// Parameters as plain JSON values.
mod params {
    use std::collections::BTreeMap;

    use runmill_model::Value;
    use serde::{
        Deserialize, Deserializer, Serialize, Serializer,
        de::{self, SeqAccess, Visitor},
        ser,
    };

    pub(super) fn serialize<S: Serializer>(params: &BTreeMap<String, Value>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(params.iter().map(|(name, value)| (name, Written(value))))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Value>, D::Error> {
        let read = BTreeMap::<String, Read>::deserialize(deserializer)?;
        Ok(read.into_iter().map(|(name, Read(value))| (name, value)).collect())
    }

    struct Written<'a>(&'a Value);

    impl Serialize for Written<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                Value::Bool(value) => serializer.serialize_bool(*value),
                Value::Int(value) => serializer.serialize_i64(*value),
                Value::Text(text) => serializer.serialize_str(text),
                Value::List(values) => serializer.collect_seq(values.iter().map(Written)),
                Value::Unit | Value::Fact(_) | Value::Tests(_) | Value::Result(_) => {
                    Err(ser::Error::custom("a parameter is a text, a whole number, a truth value or a list of those"))
                }
            }
        }
    }

    struct Read(Value);

    impl<'de> Deserialize<'de> for Read {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(AsValue).map(Self)
        }
    }

    struct AsValue;

    impl<'de> Visitor<'de> for AsValue {
        type Value = Value;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a text, a whole number, a truth value or a list of those")
        }

        fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
            Ok(Value::Bool(value))
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
            Ok(Value::Int(value))
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
            i64::try_from(value).map(Value::Int).map_err(E::custom)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
            Ok(Value::Text(text.into()))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
            let mut list = Vec::new();
            while let Some(Read(value)) = values.next_element()? {
                list.push(value);
            }
            Ok(Value::List(list))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> PackSource {
        let texts = Value::List(vec![Value::Text("payments/**".into()), Value::Int(3)]);
        let params = [("frozen", texts), ("limit", Value::Int(-3)), ("strict", Value::Bool(true))];
        PackSource {
            name: PackName::new("team").unwrap(),
            version: "1.0.0".to_owned(),
            digest: Digest::of(b"folder"),
            params: params.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
            levels: [(RuleId::new("a/b").unwrap(), Level::Warn)].into_iter().collect(),
            rules: vec![RuleFile { path: "verdict/b.rhai".into(), stage: Stage::Verdict, text: "rule".into() }],
            lib: vec![LibFile { name: "x".into(), path: "lib/x.rhai".into(), text: "fn".into() }],
            runners: Some("runner".to_owned()),
        }
    }

    #[test]
    fn reads_back_its_own_json() {
        let json = serde_json::to_string(&source()).unwrap();
        assert_eq!(serde_json::from_str::<PackSource>(&json).unwrap(), source());
        assert!(json.contains(r#""params":{"frozen":["payments/**",3],"limit":-3,"strict":true}"#), "{json}");
    }

    #[test]
    fn writes_no_parameter_that_is_no_plain_value_and_reads_none() {
        let params = [("x".to_owned(), Value::Unit)].into_iter().collect();
        assert!(serde_json::to_string(&PackSource { params, ..source() }).is_err());
        let json = serde_json::to_string(&source()).unwrap();
        for (from, to) in [("-3", "null"), ("-3", "0.5"), ("\"rules\"", "\"rule\"")] {
            assert!(serde_json::from_str::<PackSource>(&json.replace(from, to)).is_err(), "{to}");
        }
    }
}
