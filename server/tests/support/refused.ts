/** What `toMatchObject` finds in a refusal: the envelope with exactly these messages, one entry for each (2.7). */
export const refused = (status: number, ...messages: string[]) => ({
  status,
  body: { errors: messages.map((message) => ({ httpcode: status, message })) },
})

/** One answer for every way a key can be wrong. */
export const unauthorized = refused(401, 'Service-API-Key or Service-Operator-Key: missing or not valid here')
