/** What refuses a person, in place of claims. */
export type Refusal = { deny: { reason: string; code?: string } }

/**
 * For a synchronous hook to return: the sign-in ends, and its application gets `reason` as `error_description`, to show to the
 * person: up to 300 characters, in their language, without what is nobody else's business. `code`, a word of letters, digits and `_`,
 * is for the delivery log.
 */
export const deny = (reason: string, code?: string): Refusal => ({
  deny: code === undefined ? { reason } : { reason, code },
})
