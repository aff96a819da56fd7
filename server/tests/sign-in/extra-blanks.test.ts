import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { attempt } from '../support/failing-sign-ins.ts'
import { closeSignIns, newTenant, openSignIns, tenant } from '../support/own-sign-ins.ts'
import { ada } from '../support/sign-ins.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

test.each([{ scope: 'openid  email ' }, { scope: ' email openid' }, { scope: 'openid email', prompt: ' login ' }])(
  'An application may send blanks that separate nothing: %j',
  async (params) => {
    const claims = await tenant.application.signIn(tenant.browser, { person: ada, params })
    expect(claims).toMatchObject({ email: ada.email })
  },
)

test('A prompt with blanks means what it says: with a session that is used, and with none that is not', async () => {
  expect(errorIn(await attempt({ params: { prompt: ' none ' } }))).toBe('login_required')
  await tenant.application.signIn(tenant.browser, { person: ada })
  expect(errorIn(await attempt({ params: { prompt: ' none' } }))).toBeUndefined()
})
