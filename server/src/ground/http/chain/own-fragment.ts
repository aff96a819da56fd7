/**
 * Adds an empty fragment to an address without one. A browser that is redirected to an address without a fragment keeps the
 * one of the page before (RFC 9110, section 10.2.2), which may be a provider's, or anybody's.
 */
export const withFragment = (address: string): string => (address.includes('#') ? address : `${address}#`)
