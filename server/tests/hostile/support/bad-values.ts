const deep = (open: string, close: string) => `${open.repeat(40)}${close.repeat(40)}`

/** Percent-encoded already: some are no text in any encoding. `fetch` itself would resolve `..`; raw requests have it. */
export const badInAddress = [
  ...'%00 %ED%A0%80 %FF % %2 %20 ..%2f.. %F0%9F%98%80 %E2%80%AE null true 0 -1 1e9 {} [] __proto__'.split(' '),
  ...'01890000-0000-7000-8000-000000000000 %27%20or%201=1--'.split(' '),
  '',
  'x'.repeat(2_040),
  '9'.repeat(30),
]

export const badInHeader = [
  ...'x null -1 0 1e9 a,b */*;q=2 __proto__ \xff\xfe'.split(' '),
  ...['', ' ', '\t', "' or 1=1--", 'x'.repeat(5_000)],
]

/** As JSON. */
export const badInBody = [
  ...'null true 0 -1 1.5 1e308 9007199254740993 [] {} [null] [[]] [{}] [""] [1]'.split(' '),
  ...String.raw`"" "\u0000" "\ud800" "a\udfffb" "\u202e" "\ud83d\ude00" ["\u0000"] {"\u0000":1} {"\ud800":[]}`.split(
    ' ',
  ),
  ...'{"__proto__":1} {"constructor":{"prototype":1}} "javascript:alert(1)" "https://[::1]/" "-1s"'.split(' '),
  ...'"2026-13-45T99:99:99Z" "0199a3f2-5c00-7000-8000-0242ac120002"'.split(' '),
  '" "',
  `"${'x'.repeat(100_000)}"`,
  `[${'0,'.repeat(5_000)}0]`,
  deep('[', ']'),
]

export const badBodies = [
  ...'{ null [] 0 "x" \ufeff{} {"a":1,"a":2} {"__proto__":{}}'.split(' '),
  '',
  `[${'{},'.repeat(2_000)}{}]`,
  `[${deep('{"a":[', ']}')}]`,
]
