import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { repository } from '../support/program.ts'

/** Prints what importing the whole service loads. */
const program = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      loaded.push(found.url)
      return found
    },
  })
  await import('./server/src/start/service.ts')
  console.log(loaded.join('\\n'))`

test('A service that nobody signs in to does not load the OpenID Provider, which takes 16 MB', () => {
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: repository,
    encoding: 'utf8',
  })
  expect(loaded).toContain('/server/src/issuer/issuers.ts')
  expect(loaded).not.toContain('/node_modules/oidc-provider/')
})
