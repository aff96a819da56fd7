const partOf = (jwt: string, index: number) =>
  JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects, claim by claim
export const claimsOf = (jwt: string): Record<string, any> => partOf(jwt, 1)
/** Unverified. */
export const kidOf = (jwt: string): string => partOf(jwt, 0).kid
/** Unverified. When it was signed: its `jti` is a UUIDv7, which begins with its time in milliseconds. */
export const signedAt = (jwt: string): number => Number.parseInt(partOf(jwt, 1).jti.replace('-', '').slice(0, 12), 16)
