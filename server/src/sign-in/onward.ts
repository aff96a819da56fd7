/** Where a browser is sent, with `Set-Cookie` lines. */
export type Onward = { to: string; setCookies?: string[] }
