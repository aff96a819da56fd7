import { expect, test } from 'vitest'
import { targetRules } from './target-url.ts'

const broken = (text: string) => targetRules.filter(({ breaks }) => breaks(text)).map(({ words }) => words)

test.each([
  'https://receiver.example.com/hook',
  'https://receiver.example.com:8443',
  'https://bücher.example/empfang',
  'https://receiver.example.com/a@b:c',
])('Finds nothing wrong with %s', (text) => {
  expect(broken(text)).toEqual([])
})

test.each([
  ['http://receiver.example.com', 'starts with https'],
  ['https://', 'starts with https'],
  ['https://localhost/hook', 'localhost'],
  ['https://a.localhost', 'localhost'],
  ['https://192.0.2.1', 'IP address'],
  ['https://0x7f.1', 'IP address'],
  ['https://[::1]:443/', 'IP address'],
  ['https://jo:secret@receiver.example.com', 'user or password'],
  ['https://receiver.example.com/?a=1', 'query'],
  ['https://receiver.example.com/#a', 'fragment'],
  ['https://receiver.example.com:0/', 'port'],
  ['https://receiver.example.com:70000/', 'port'],
  ['https://receiver.example.com/a b', 'white space'],
  [`https://receiver.example.com/${'a'.repeat(2_048)}`, '2,048'],
])('Names the rule that %s breaks', (text, words) => {
  expect(broken(text).join()).toContain(words)
})
