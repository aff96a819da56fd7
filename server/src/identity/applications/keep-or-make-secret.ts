import { type ClientSecret, makeClientSecret } from './client-secret.ts'

/** A confidential application keeps its secrets or gets one, which is shown once; a public one has none. */
export function keepOrMakeSecret(confidential: boolean, before: ClientSecret[], now: number) {
  if (!confidential) return { secrets: [], shown: {} }
  if (before.length > 0) return { secrets: before, shown: {} }
  const { secret, stored } = makeClientSecret(now)
  return { secrets: [stored], shown: { client_secret: secret } }
}
