import { makeClientSecret } from './client-secret.ts'

/** A confidential application keeps its secret or gets one, which is shown once; a public one has none. */
export function keepOrMakeSecret(confidential: boolean, before: Buffer | null) {
  if (!confidential) return { hash: null, shown: {} }
  if (before) return { hash: before, shown: {} }
  const { secret, hash } = makeClientSecret()
  return { hash, shown: { client_secret: secret } }
}
