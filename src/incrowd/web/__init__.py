"""The local web page: clicks in, the api called, a page out. Still empty."""
