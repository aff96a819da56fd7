import { describe, expect, test } from 'vitest'
import { overrideFor, parseResolveOverrides } from './resolve-overrides.ts'

describe('parseResolveOverrides', () => {
  test.each([
    ['receiver.test:443:127.0.0.1', [['receiver.test:443', ['127.0.0.1']]]],
    ['receiver.test:8443:[::1]', [['receiver.test:8443', ['::1']]]],
    ['RECEIVER.test:65535:10.0.0.1', [['receiver.test:65535', ['10.0.0.1']]]],
    ['b\u00fccher.test:1:10.0.0.1', [['xn--bcher-kva.test:1', ['10.0.0.1']]]],
    ['intranet:443:[fd00::1]', [['intranet:443', ['fd00::1']]]],
    [
      'a.test:443:10.0.0.1, b.test:443:10.0.0.2,a.test:443:[fd00::1],a.test:8443:10.0.0.3',
      [
        ['a.test:443', ['10.0.0.1', 'fd00::1']],
        ['b.test:443', ['10.0.0.2']],
        ['a.test:8443', ['10.0.0.3']],
      ],
    ],
  ])('The function parseResolveOverrides reads %s', (text, entries) => {
    expect(parseResolveOverrides(text)).toEqual({ overrides: new Map(entries as [string, string[]][]) })
  })

  test.each([
    'receiver.test',
    'receiver.test:443',
    'receiver.test:443:',
    'receiver.test:127.0.0.1',
    ':443:127.0.0.1',
    'receiver.test::127.0.0.1',
    'receiver.test:0:127.0.0.1',
    'receiver.test:0443:127.0.0.1',
    'receiver.test:65536:127.0.0.1',
    'receiver.test:https:127.0.0.1',
    'receiver.test:443:localhost',
    'receiver.test:443:127.1',
    'receiver.test:443:256.0.0.1',
    'receiver.test:443:[127.0.0.1]',
    'receiver.test:443:::1',
    'receiver.test:443:[::1',
    'receiver.test:443:[fe80::1%eth0]',
    'receiver.test:443:127.0.0.1:1',
    '127.0.0.1:443:127.0.0.1',
    '0x7f.1:443:127.0.0.1',
    '[::1]:443:127.0.0.1',
    'https://receiver.test:443:127.0.0.1',
    'user@receiver.test:443:127.0.0.1',
    'receiver.test/x:443:127.0.0.1',
    'rec%65iver.test:443:127.0.0.1',
    '*:443:127.0.0.1;',
  ])('The function parseResolveOverrides refuses %s', (entry) => {
    const problem = `${entry} is not host:port:address, with IPv6 in brackets`
    expect(parseResolveOverrides(entry)).toEqual({ problem })
    expect(parseResolveOverrides(`a.test:443:10.0.0.1,${entry}`)).toEqual({ problem })
  })

  test('The function parseResolveOverrides refuses an empty entry', () => {
    const problem = 'an empty entry is not host:port:address, with IPv6 in brackets'
    expect(parseResolveOverrides('a.test:443:10.0.0.1,')).toEqual({ problem })
  })
})

describe('overrideFor', () => {
  test('The function overrideFor goes by exactly this host and port', () => {
    const overrides = new Map([
      ['a.test:443', ['10.0.0.1']],
      ['a.test:8443', ['10.0.0.2']],
    ])
    const found = (url: string) => overrideFor(overrides, new URL(url))
    expect(found('https://a.test/hook')).toEqual(['10.0.0.1'])
    expect(found('https://A.test:443')).toEqual(['10.0.0.1'])
    expect(found('https://a.test:8443')).toEqual(['10.0.0.2'])
    expect(found('https://a.test:8444')).toBeUndefined()
    expect(found('https://b.a.test')).toBeUndefined()
    expect(found('https://a.test.')).toBeUndefined()
  })
})
