import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keepHookClaims } from './protected-claims.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/use/hooks.md'), 'utf8')

test('The claims that docs/use/hooks.md calls protected are dropped, and those that it leaves to hooks are kept', () => {
  const [, list = ''] = /\*\*Protected claims\*\*.*? is dropped: (.*?)\. The delivery log/s.exec(page) ?? []
  const named = namesIn(list)
  expect(named.length).toBeGreaterThan(30)
  const left = namesIn(
    /^- (.*?) and every name that is not protected, such as (`\w+`)/m.exec(page)?.slice(1).join() ?? '',
  )
  expect(left).toEqual(['name', 'picture', 'locale', 'roles'])
  const given = Object.fromEntries([...named, ...left].map((name) => [name, 1]))
  expect(keepHookClaims(given)).toEqual({ claims: Object.fromEntries(left.map((name) => [name, 1])), dropped: named })
})

const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
