"""The web server: parsing, drawing, treebank search and scoring over HTTP, and the page that uses them."""
