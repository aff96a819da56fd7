import { expect, test } from 'vitest'
import { addedParameters, isRegistered, withParameters } from './redirect-uri.ts'

test.each([
  ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb', true],
  ['http://127.0.0.1:8000/cb', 'http://127.0.0.1:49152/cb', true],
  ['http://127.0.0.1:8000/cb', 'http://127.0.0.1/cb', true],
  ['http://[::1]/cb?a=b', 'http://[::1]:1/cb?a=b', true],
  ['http://127.0.0.1', 'http://127.0.0.1:65535', true],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:65536/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:0/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:123456/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:80:81/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:80@evil.example/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:80/cb/', false],
  ['http://127.0.0.1/cb', 'http://[::1]:80/cb', false],
  ['http://localhost/cb', 'http://localhost:80/cb', false],
  ['https://127.0.0.1/cb', 'https://127.0.0.1:444/cb', false],
])('Registered as %s, %s is a redirect URI of a public application: %s', (registered, uri, isOne) => {
  expect(isRegistered(uri, [registered], true)).toBe(isOne)
  expect(isRegistered(uri, [registered], false)).toBe(false)
  expect(isRegistered(registered, [registered], false)).toBe(true)
})

test.each([
  ['https://a.example/cb', 'https://a.example/cb?code=x+y'],
  ['https://a.example/cb?', 'https://a.example/cb?code=x+y'],
  ['https://a.example/cb?flag', 'https://a.example/cb?flag&code=x+y'],
  ['https://a.example/cb?n=%E4&&p=a+b%20c&', 'https://a.example/cb?n=%E4&&p=a+b%20c&code=x+y'],
  ['com.example.app:/cb', 'com.example.app:/cb?code=x+y'],
])('A redirect keeps the query of %s as it is', (uri, answered) => {
  expect(withParameters(uri, [['code', 'x y']])).toBe(answered)
  const rewritten = new URL(uri)
  rewritten.searchParams.set('code', 'x y')
  expect(addedParameters(rewritten.href, uri)).toEqual([['code', 'x y']])
})
