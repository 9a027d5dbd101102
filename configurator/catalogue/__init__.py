"""What can be bought and run: typed records read from resources/catalogue, each with source and date."""
