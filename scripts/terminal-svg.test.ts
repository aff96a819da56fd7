import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { drawTerminal } from './terminal-svg.ts'

describe('A drawn terminal', () => {
  const long = Array.from({ length: 40 }, (_, place) => ({ at: 100 * place, text: `line ${place} <&>` }))
  const drawing = drawTerminal('npm run dev', [{ at: 0, text: '\u001b[1mStarting\u001b[22m' }, ...long])

  test('Has each line once, as text', () => {
    expect(drawing.match(/line \d+ &lt;&amp;&gt;<\/text>/g)).toHaveLength(40)
    expect(drawing).not.toContain('\u001b')
  })

  test('Breaks a long line at a blank', () => {
    const broken = drawTerminal('a', [{ at: 0, text: `${'word '.repeat(20)}end` }])
    expect(broken.match(/>(word ?)+( end)?<\/text>/g)).toHaveLength(2)
  })

  test('Plays once, and shows its end to whoever wants no motion', () => {
    expect(drawing).not.toContain('infinite')
    const still = /@media\(prefers-reduced-motion:reduce\)\{.*\}/.exec(drawing)?.[0]
    expect(still).toContain('animation:none;opacity:1')
    // 41 lines and the command, of which 24 are shown.
    expect(still).toContain(`translateY(${-(42 - 24) * 19}px)`)
  })
})

describe('The recording of the readme', () => {
  const picture = readFileSync(join(import.meta.dirname, '../docs/pictures/dev.svg'), 'utf8')

  test('Is small, needs nothing from outside, and says in words what it shows', () => {
    expect(picture.length).toBeLessThan(60_000)
    expect(picture).not.toMatch(/<script|<image|\bhref=|@import|url\(/)
    expect(picture).toMatch(/<desc id="says">.*Verified: PersonCreated_v1 Your first event has arrived.*<\/desc>/)
  })

  test('Has no key, and nothing of the machine that it was made on', () => {
    expect(picture).toMatch(/API key: signet_\w{8}…/)
    expect(picture).not.toMatch(/signet_\w{9}|\/tmp\/|\/home\//)
  })
})
