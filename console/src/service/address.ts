/** Where the console is, whatever stands in front of Signet: the server writes it into the page as its `base`. */
const consoleUrl = new URL(document.baseURI)

/** The path that all addresses of the console begin with, such as `/console`. */
export const consolePath = consoleUrl.pathname.replace(/\/$/, '')

/** Where the interface is, such as `https://id.example.com`. */
export const serviceUrl = new URL('../', consoleUrl).href.replace(/\/$/, '')
