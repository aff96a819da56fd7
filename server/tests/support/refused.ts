/** What `toMatchObject` finds in a refusal: the envelope with exactly these messages, one entry for each (2.7). */
export const refused = (status: number, ...messages: string[]) => ({
  status,
  body: { errors: messages.map((message) => ({ httpcode: status, message })) },
})

export const keyRequired = refused(401, 'Service-API-Key: is required')
/** One answer for every way a key can be wrong. */
export const keyNotValid = refused(401, 'Service-API-Key: is not valid for this organization')
export const keyExpired = refused(401, 'Service-API-Key: has expired')
export const operatorKeyRequired = refused(401, 'Service-Operator-Key: is required')
export const operatorKeyNotValid = refused(401, 'Service-Operator-Key: is not valid')
