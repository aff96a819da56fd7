import { expect, test } from 'vitest'

test('A page has a language that can be read, also where the browser says one that cannot', async () => {
  Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })
  await import('./language.ts')
  expect(new Intl.NumberFormat(navigator.language).format(1_000)).toBe('1,000')
})
