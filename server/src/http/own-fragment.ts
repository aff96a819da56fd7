/**
 * An address with a fragment of its own, if only an empty one. A browser that is redirected to an address without any keeps the
 * one that it came with (RFC 9110, section 10.2.2), which may be a provider's, or anybody's.
 */
export const withFragment = (address: string): string => (address.includes('#') ? address : `${address}#`)
