use super::read;
