//! What parent and helper say to each other.
