import { describe, expect, test } from 'vitest'
import { readRefusal } from './refusal.ts'

const reasonOf = (reason: unknown) => readRefusal({ reason })?.reason

describe('The member `deny` of a response', () => {
  test.each([[undefined], [null], [false]])('A response whose deny is %j refuses nobody', (deny) => {
    expect(readRefusal(deny)).toBeUndefined()
  })

  test.each([
    [true],
    [0],
    [''],
    ['no'],
    [[]],
    [{}],
    [{ reason: 1, code: {} }],
    [{ reason: '', code: '' }],
    [[{ reason: 'a' }]],
  ])('A response whose deny is %j refuses without a reason', (deny) => {
    expect(readRefusal(deny)).toEqual({})
  })

  test('A refusal has the reason and the code that are as they may be, and leaves others out', () => {
    expect(readRefusal({ reason: 'Your plan has ended.', code: 'plan_ended', more: 1 })).toEqual({
      reason: 'Your plan has ended.',
      code: 'plan_ended',
    })
    expect(readRefusal({ reason: ['a'], code: 'plan_ended' })).toEqual({ code: 'plan_ended' })
    for (const code of ['two words', 'a\nb', 'é', 'x'.repeat(65), 7, null]) expect(readRefusal({ code })).toEqual({})
    expect(readRefusal({ code: 'x'.repeat(64) })).toEqual({ code: 'x'.repeat(64) })
  })

  test.each([
    ['a\r\nb\u2028c\u2029d\u0085e\tf', 'a b c d e f'],
    ['\u202egnp.exe\u202c\u200b\u2066x\ufeff', 'gnp.exex'],
    ['a\u0000b\u001b[31mc\u007f', 'ab[31mc'],
    ['say "hi" \\ bye', 'say hi bye'],
    ['\ud800a\udc00b', 'ab'],
    ['<script>alert(1)</script> 100 % &amp;', '<script>alert(1)</script> 100 % &amp;'],
    [' Grüße, 你好 🙂 ', 'Grüße, 你好 🙂'],
    ['\u202e\n"', undefined],
  ])('The reason %j becomes %j', (given, expected) => {
    expect(reasonOf(given)).toBe(expected)
  })

  test('A reason is cut after 300 characters, and no character in two', () => {
    expect(reasonOf('x'.repeat(301))).toBe('x'.repeat(300))
    expect(reasonOf('🙂'.repeat(301))).toBe('🙂'.repeat(300))
    expect(reasonOf(`\u202e${'x'.repeat(300)}`)).toBe('x'.repeat(300))
  })
})
