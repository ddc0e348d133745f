# Everything that must hold before a change lands.
gate:
    bash .ci/run
    cargo deny check bans licenses sources

# All tests, as the README says.
test:
    cargo test --workspace

# Write generated documents and accept what they say; review the difference.
update:
    RUNMILL_UPDATE=1 cargo test --workspace

# Look at changed snapshots, one by one.
review:
    cargo insta review
