import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { repository } from '../support/program.ts'

/** Prints what importing that file loads. */
const programFor = (file: string) => `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      loaded.push(found.url)
      return found
    },
  })
  await import('./server/src/${file}')
  console.log(loaded.join('\\n'))`

const loadedBy = (file: string) =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', programFor(file)], {
    cwd: repository,
    encoding: 'utf8',
  })

test('A service that nobody signs in to does not load the OpenID Provider, which takes 16 MB', () => {
  const loaded = loadedBy('start/service.ts')
  expect(loaded).toContain('/server/src/identity/issuer/issuers.ts')
  expect(loaded).not.toContain('/node_modules/oidc-provider/')
})

test('The sender thread, which loads a copy of all that it imports, loads no package', () => {
  const loaded = loadedBy('delivery/queue/sender/thread.ts')
  expect(loaded).toContain('/server/src/ground/keys/sign-jwt.ts')
  expect(loaded).not.toContain('/node_modules/')
})
