package cases
