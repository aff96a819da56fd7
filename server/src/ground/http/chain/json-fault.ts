/**
 * Sticky, so that each is tried at one place; what is long is passed in one step. No text fits `string` in two ways: otherwise one that
 * does not end would be tried in all of them, which are twice as many with each character.
 */
const space = /[ \t\n\r]*/y
const string = /"[[\x20-\u{10ffff}]--["\\]]*(?:\\(?:["\\\/bfnrt]|u[\dA-Fa-f]{4})[[\x20-\u{10ffff}]--["\\]]*)*"/vy
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y

/** Where a text stops being JSON, and why where that is a usual slip: `line 2, column 5: …`. Never what stands there. */
export function faultOfJson(text: string): string {
  const at = placeOfFault(text)
  const before = text.slice(0, at).split('\n')
  const column = [...(before.at(-1) ?? '')].length + 1
  return `line ${before.length}, column ${column}${reasonAt(text, at)}`
}

function reasonAt(text: string, at: number): string {
  if (at === text.length) return ': it ends too early'
  if (/^(?:\/[/*]|#)/.test(text.slice(at, at + 2))) return ': JSON has no comments'
  if (text[at] === "'") return ': texts and names stand in double quotes'
  if (/^[}\]]$/.test(text[at] ?? '') && /,\s*$/.test(text.slice(0, at))) return ': no comma before a closing bracket'
  return /^[A-Za-z_$]/.test(text[at] ?? '') ? ': texts and names stand in double quotes' : ''
}

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing'

/** The first character that cannot stand where it does; of a text that only ends too early, its length. */
function placeOfFault(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  const passed = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0].length
    at += found ?? 0
    return found !== undefined
  }
  const close = () => {
    open.pop()
    at++
    return open.length > 0 ? ('comma or end' as const) : ('nothing' as const)
  }
  for (;;) {
    passed(space)
    const character = text[at]
    const isEnd = character === (open.at(-1) === '{' ? '}' : ']') && open.length > 0
    if (expected.endsWith('or end') && isEnd) expected = close()
    else if (expected.startsWith('value') && (character === '{' || character === '[')) {
      open.push(character)
      at++
      expected = character === '{' ? 'name or end' : 'value or end'
    } else if (expected.startsWith('value') && (passed(string) || passed(scalar)))
      expected = open.length > 0 ? 'comma or end' : 'nothing'
    else if (expected.startsWith('name') && passed(string)) expected = 'colon'
    else if (expected === 'colon' && character === ':') {
      at++
      expected = 'value'
    } else if (expected === 'comma or end' && character === ',') {
      at++
      expected = open.at(-1) === '{' ? 'name' : 'value'
    } else return at
  }
}
