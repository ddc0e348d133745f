//! Reports as real reporters write them: every case with its answer, an older program's
//! vectors, and bytes that no reporter would write.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod listing;
#[cfg(test)]
#[cfg(feature = "real-world")]
mod real_reporters;
#[cfg(test)]
mod reporters_page;
#[cfg(test)]
mod robustness;
#[cfg(test)]
mod vectors;
#[cfg(test)]
mod zero;
