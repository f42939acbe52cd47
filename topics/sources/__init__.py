"""The sources of a topic, the rules for its sites, and the removal of a site."""
