import { expect, test } from 'vitest'
import { preferredLanguage } from './preferred-language.ts'

test.each([
  ['fr de', 'fr'],
  ['xx de fr', 'de'],
  ['de-AT', 'de'],
  ['DE-at-1996', 'de'],
  ['  ja  ', 'ja'],
  ['zh-Hant-TW es-419', 'es'],
  ['nonsense', 'en'],
  ['', 'en'],
])('The languages that an application asks for, %j, come to %s', (uiLocales, language) => {
  expect(preferredLanguage({ uiLocales })).toBe(language)
})

test.each([
  ['de-CH,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.2, fr;q=0.7, de;q=0.6', 'fr'],
  ['xx, *;q=0.5, es;q=0.1', 'es'],
  ['de;q=0, ja;q=0.001', 'ja'],
  ['de;q=2, fr;q=x, es', 'es'],
  ['fr,de', 'fr'],
  ['*', 'en'],
])('What a browser reads, %j, comes to %s', (acceptLanguage, language) => {
  expect(preferredLanguage({ acceptLanguage })).toBe(language)
})

test('The application goes before the browser, the browser before the organization, and that before English', () => {
  const all = { uiLocales: 'fr', acceptLanguage: 'de', standard: 'ja' }
  expect(preferredLanguage(all)).toBe('fr')
  expect(preferredLanguage({ ...all, uiLocales: 'xx' })).toBe('de')
  expect(preferredLanguage({ ...all, uiLocales: undefined, acceptLanguage: 'xx' })).toBe('ja')
  expect(preferredLanguage({ standard: 'xx' })).toBe('en')
})

test('Names that every object has are no languages', () => {
  for (const hostile of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__-AT']) {
    const all = { uiLocales: hostile, acceptLanguage: hostile, standard: hostile }
    expect(preferredLanguage(all)).toBe('en')
    expect(preferredLanguage({ ...all, standard: 'de' })).toBe('de')
  }
})

test('Of a long wish only the beginning is read', () => {
  const long = 'xx '.repeat(5_000)
  expect(preferredLanguage({ uiLocales: `${long}de`, acceptLanguage: 'fr' })).toBe('fr')
  expect(preferredLanguage({ uiLocales: `de ${long}` })).toBe('de')
  expect(preferredLanguage({ acceptLanguage: `${'-'.repeat(10_000)},de`, standard: 'es' })).toBe('es')
  expect(preferredLanguage({ uiLocales: `de${'-x'.repeat(400)}` })).toBe('en')
})
