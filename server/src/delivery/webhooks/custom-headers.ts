/** From name to values, as stored and shown (2.4, `custom_headers`). */
export type CustomHeaders = Record<string, string[]>

/** Lines, and bytes of names and values, that receivers and their proxies usually accept. */
const maxLines = 50
const maxBytes = 16 * 1024

/** Headers that Signet sets (6.2, rule 1), and those that would change the framing or the life of the connection. */
const forbiddenNames = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'host',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
])

/** RFC 9110, 5.6.2. */
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
/** RFC 9110, 5.5: visible characters, with blanks between them. Beyond ASCII each character is sent as one byte. */
const fieldValue = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

/** All problems as text for the caller. Values are secrets and are never part of it. */
export function checkCustomHeaders(headers: CustomHeaders): string[] {
  const exceeded = exceededLimit(headers)
  if (exceeded) return [`custom_headers: ${exceeded}`]
  const spellings = new Set<string>()
  return Object.entries(headers).flatMap(([name, values]) => {
    const isRepeated = spellings.size === spellings.add(name.toLowerCase()).size
    const problem = isRepeated ? 'is given in two spellings' : problemOf(name, values)
    return problem ? [`custom_headers.${name}: ${problem}`] : []
  })
}

/** One line per value: `[name, value, name, value]`. */
export const toHeaderLines = (headers: CustomHeaders): string[] =>
  Object.entries(headers).flatMap(([name, values]) => values.flatMap((value) => [name, value]))

/** Checked first, so that neither the work nor the response grows with the request. */
function exceededLimit(headers: CustomHeaders): string | undefined {
  if (Object.values(headers).some((values) => values.length === 0)) return 'each name must have at least one value'
  const lines = toHeaderLines(headers)
  if (lines.length > 2 * maxLines) return `must be at most ${maxLines} lines, one for each value`
  const bytes = Buffer.byteLength(lines.join(''), 'latin1')
  return bytes > maxBytes ? `must be at most ${maxBytes} bytes, names and values together` : undefined
}

function problemOf(name: string, values: string[]): string | undefined {
  if (!token.test(name)) return "a name must be one or more of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~"
  if (forbiddenNames.has(name.toLowerCase())) return 'is not allowed'
  if (values.every((value) => fieldValue.test(value))) return undefined
  return 'a value must be Latin-1 text without control characters, and without blanks at its ends'
}
