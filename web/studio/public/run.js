// A recorded run goes here when a site is exported; the server has none.
