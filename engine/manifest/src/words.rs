//! Closed vocabularies of the files: each word is declared once and has one spelling.

macro_rules! words {
    ($($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $word_doc:literal])* $word:ident = $text:literal,)* })*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $word_doc])* #[serde(rename = $text)] $word,)*
        }

        impl $name {
            /// Every word.
            pub const ALL: &'static [Self] = &[$(Self::$word,)*];

            /// Its spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    )*};
}

pub(crate) use words;
