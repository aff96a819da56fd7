/** An address that a provider told: `hash` is the same for spellings that count as the same. `value` null: of a person who was deleted. */
export type SignInHandle = { type: string; hash: string; value: string | null; verified: boolean }

/** What is kept of a sign-in beside the payload, whose contract has no fields for it. */
export type SignInEvent = {
  /** 'succeeded', or the reason why it failed. */
  outcome: string
  provider: string | undefined
  credentialId: string | undefined
  clientId: string | undefined
  clientAddress: string
  handle: SignInHandle | undefined
}
