//! Members that must be one of a few texts.

/// Declares enums that are read from one of a few texts.
macro_rules! choice {
    ($($(#[$meta:meta])* enum $name:ident { $($variant:ident = $text:literal,)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum $name { $($variant,)* }

        impl $name {
            /// The text in documents.
            #[allow(dead_code, reason = "not every choice is shown")]
            pub(crate) const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl $crate::shape::Shape for $name {
            fn read(
                json: &$crate::json::Json,
                place: &$crate::shape::Place<'_>,
                issues: &mut $crate::shape::Issues,
            ) -> Option<Self> {
                match json.as_text() {
                    $(Some($text) => Some(Self::$variant),)*
                    _ => issues.add(place, concat!("is not one of", $(" `", $text, "`"),*)),
                }
            }
        }
    )*};
}

pub(crate) use choice;
