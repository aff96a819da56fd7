import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pc from 'picocolors'

/** Control, format and separating characters: they move the cursor, colour the line or turn its direction. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

export type Output = ReturnType<typeof createOutput>
export type Printed = { type: string; [member: string]: unknown }

/** In place of the escape character in colours of ours: nobody else can write it. */
const mark = randomUUID()
const colorNames = ['green', 'yellow', 'red', 'cyan', 'dim'] as const
type Colors = Record<(typeof colorNames)[number], (text: string) => string>

/** Standard output is the result: lines for people, or NDJSON. Everything else is a note on standard error. */
export function createOutput({ isJson }: { isJson: boolean }) {
  return {
    isJson,
    colors: createColors(hasColor(process.env, process.stdout.isTTY)),
    /** One or several lines, printable but for the colours. Waits where the reader is slow. */
    line: (text: string) => write(process.stdout, `${printableLines(text)}\n`),
    record: (record: Printed) => write(process.stdout, `${JSON.stringify(record)}\n`),
    /** One of the two. */
    show(record: Printed, text: string) {
      return isJson ? this.record(record) : this.line(text)
    },
    note: (text: string) => write(process.stderr, `${printableLines(text)}\n`),
  }
}

function createColors(isEnabled: boolean): Colors {
  const colors = pc.createColors(isEnabled)
  const marked = (name: keyof Colors) => (text: string) => colors[name](text).replaceAll('\u001b', mark)
  return Object.fromEntries(colorNames.map((name) => [name, marked(name)])) as Colors
}

async function write(stream: NodeJS.WriteStream, text: string) {
  if (!stream.write(text)) await once(stream, 'drain')
}

/** https://no-color.org and https://force-color.org: an empty value counts as none. */
function hasColor({ NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (NO_COLOR) return false
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTerminal && TERM !== 'dumb'
}

/** What others wrote, on one line that a terminal shows as it is. */
export const printable = (text: string) => text.replace(unprintable, escapeCodePoint)

/** As in YAML: `\u` has four digits, and what is above U+FFFF has eight after `\U`. */
export function escapeCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

export const printableLines = (text: string) => text.split('\n').map(printable).join('\n').replaceAll(mark, '\u001b')
