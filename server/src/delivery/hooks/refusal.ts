/** How many characters of the reason the application gets, in code points. */
const maxReasonLength = 300

/** What a hook says to a sign-in that it refuses. `reason`: for the application and its person; `code`: for the log. */
export type Refusal = { reason?: string; code?: string }

/**
 * The member `deny` of a response. Whatever a receiver means by another value than false or null, it does not mean to let the person
 * in: so anything else refuses, and only the members that can be used are kept.
 */
export function readRefusal(deny: unknown): Refusal | undefined {
  if (deny === undefined || deny === null || deny === false) return undefined
  const { reason, code } = Object(deny)
  const shown = typeof reason === 'string' ? cleanReason(reason) : ''
  return { ...(shown && { reason: shown }), ...(isCode(code) && { code }) }
}

const isCode = (code: unknown): code is string => typeof code === 'string' && /^\w{1,64}$/.test(code)

/**
 * As `error_description` may be, but for what is no ASCII (RFC 6749, 4.1.2.1): one line, without control and format characters, among
 * them those that change the direction of what follows, without halves of a surrogate pair, `"` and `\`.
 */
const cleanReason = (reason: string): string =>
  [
    ...reason
      .replace(/[\s\u0085]/g, ' ')
      .replace(/[\p{Cc}\p{Cf}\p{Cs}"\\]/gu, '')
      .replace(/ +/g, ' ')
      .trimStart(),
  ]
    .slice(0, maxReasonLength)
    .join('')
    .trimEnd()
