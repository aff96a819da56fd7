/** JSON whose numbers stay as they were written: `JSON.parse` would make another account of 9007199254740993. */

/** A value that `JSON.stringify` writes as the text it came from. */
type RawJson = { rawJSON: string }

/** What TypeScript does not know yet: https://tc39.es/proposal-json-parse-with-source/ */
const json = JSON as unknown as {
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): RawJson
  isRawJSON(value: unknown): value is RawJson
}

/** Numbers that would be written in another way are kept as text. Throws as `JSON.parse` does. */
export const parseExactly = (text: string): unknown =>
  json.parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  )

export const { isRawJSON } = json
