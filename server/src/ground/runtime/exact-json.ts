/** JSON whose numbers keep their text: `JSON.parse` would change the account number 9007199254740993. */

/** A value that `JSON.stringify` writes as its original text. */
type RawJson = { rawJSON: string }

/** Not in TypeScript's types yet: https://tc39.es/proposal-json-parse-with-source/ */
const json = JSON as unknown as {
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): RawJson
  isRawJSON(value: unknown): value is RawJson
}

/** Keeps the text of numbers that would be written differently. Throws as `JSON.parse` does. */
export const parseExactly = (text: string): unknown =>
  json.parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  )

export const { isRawJSON } = json
