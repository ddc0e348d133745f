//! How a fact kind is declared: what [`crate::facts`] is written in.
//!
//! A declaration names the fields (stored, part of the digest) and the derived properties (computed on the sealed
//! graph). It makes the Rust type, its JSON form, the accessors and their documentation.

macro_rules! kinds {
    ($($name:ident, $field:ident, $text:literal;)*) => {
        /// The fact kinds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $(#[doc = concat!("A [`", stringify!($name), "`].")] $name,)* }

        impl Kind {
            /// Every kind, in the order of the declarations.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in rules and documents.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What a fact of this kind says.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => $name::DOC,)* }
            }

            /// The properties rules can read, fields first.
            pub const fn accessors(self) -> &'static [Accessor] {
                match self { $(Self::$name => $name::ACCESSORS,)* }
            }
        }

        /// The facts of a graph, by kind.
        #[derive(Debug, Clone, Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Facts {
            $(
                #[doc = concat!("Each [`", stringify!($name), "`].")]
                #[serde(default, skip_serializing_if = "Vec::is_empty", rename = $text)]
                pub $field: Vec<$name>,
            )*
        }

        impl Facts {
            /// The number of facts of a kind.
            pub fn count(&self, kind: Kind) -> usize {
                match kind { $(Kind::$name => self.$field.len(),)* }
            }

            /// The key of a fact; none when it is not there.
            pub fn key(&self, fact: FactRef) -> Option<String> {
                match fact.kind { $(Kind::$name => self.$field.get(fact.index as usize).map(Fact::key),)* }
            }

            pub(crate) fn sort(&mut self) -> Result<(), (Kind, String)> {
                $(
                    self.$field.sort_by_cached_key(Fact::key);
                    if let Some(pair) = self.$field.windows(2).find(|pair| matches!(pair, [a, b] if a.key() == b.key())) {
                        return Err((Kind::$name, pair.first().map(Fact::key).unwrap_or_default()));
                    }
                )*
                Ok(())
            }
        }
    };
}

macro_rules! facts {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident, $field:ident, |$this:ident| $key:expr,
        { $($(#[doc = $field_doc:literal])* $(#[serde($($serde:tt)*)])? $member:ident: $ty:ty,)* }
        derived { $($(#[doc = $derived_doc:literal])* $derived:ident: $derived_ty:expr, $function:path;)* }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                $(
                    $(#[doc = $field_doc])*
                    $(#[serde($($serde)*)])?
                    pub $member: $ty,
                )*
            }

            impl Fact for $name {
                const KIND: Kind = Kind::$name;
                const DOC: &'static str = concat!($($doc, "\n",)*);
                const ACCESSORS: &'static [Accessor] = &[
                    $(Accessor {
                        name: stringify!($member),
                        doc: concat!($($field_doc, "\n",)*),
                        ty: <$ty as Field>::TYPE,
                        stored: Some(<$ty as Field>::FORM),
                        left_out: const { false $(|| !stringify!($($serde)*).is_empty())? },
                        get: |graph, index| graph.facts().$field.get(index as usize)
                            .map_or(Value::Unit, |fact| fact.$member.value()),
                    },)*
                    $(Accessor {
                        name: stringify!($derived),
                        doc: concat!($($derived_doc, "\n",)*),
                        ty: $derived_ty,
                        stored: None,
                        left_out: false,
                        get: |graph, index| graph.facts().$field.get(index as usize)
                            .map_or(Value::Unit, |fact| $function(graph, fact)),
                    },)*
                ];

                fn key(&self) -> String {
                    let $this = self;
                    $key
                }
                fn all(facts: &Facts) -> &[Self] {
                    &facts.$field
                }
                fn add_to(self, facts: &mut Facts) {
                    facts.$field.push(self);
                }
            }
        )*
    };
}

pub(crate) use {facts, kinds};
