import type { IncomingMessage } from 'node:http'
import type { Page } from 'playwright-core'
import { type HttpProxy, startProxy } from './proxy.ts'
import { heading, type Site, startSite } from './site.ts'
import { signIn } from './visit.ts'

/** A site whose browser comes through a proxy, where something may happen to each request. */
export let site: Site
export let proxy: HttpProxy
/** Signed in, at Home. */
export let page: Page

export async function openProxiedSite() {
  site = await startSite()
  proxy = await startProxy(site.signet.baseUrl)
}

export async function closeProxiedSite() {
  await proxy?.stop()
  await site?.stop()
}

export async function openHome() {
  proxy.meet(() => undefined)
  page = await (await site.browser.newContext()).newPage()
  await signIn(page, proxy.baseUrl, site.organization)
  await heading(page, 'Home')
}

/** Of the list of webhooks. */
export const listing = ({ method, url = '' }: IncomingMessage) =>
  method === 'GET' && url.startsWith('/organizations/webhooks')
