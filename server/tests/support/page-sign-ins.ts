import type { Browser, Page } from './browser.ts'
import { service, tenant } from './own-sign-ins.ts'
import { ada, type Tenant } from './sign-ins.ts'

export const created = 'PersonCreated_v1'
export const succeeded = 'AuthenticationSucceeded_v1'

export const namesOf = (events: Awaited<ReturnType<Tenant['events']>>) =>
  events.map((event) => event.event_metadata.event_name)
export const optionsIn = (html: string) =>
  [...html.matchAll(/name="credential" value="([^"]+)">([^<]*)</g)].map(([, id, label]) => ({ id, label }))

/** From the page where one chooses. */
export const chooseFirst = (browser: Browser, { url, html }: Page) =>
  browser.go(url, { form: { credential: optionsIn(html)[0]?.id ?? '' }, person: ada })

export const identitiesOf = async (personId: string) =>
  (await service.as(tenant.organization, 'GET', `/persons/${personId}/identities`)).body.result
