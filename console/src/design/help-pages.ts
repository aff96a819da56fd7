/** The page of the help that explains a page of the console: of the first of these that its path begins with. */
export const helpPages = {
  '/audit-log': 'use/audit-log',
  '/deliveries': 'operate/failed-deliveries',
  '/events': 'use/feed',
  '/keys/verification': 'operate/keys#verification-keys',
  '/keys': 'use/api-keys',
  '/organizations/processes': 'operate/processes',
  '/organizations/regions': 'operate/regions',
  '/organizations': 'operate/organizations',
  '/persons': 'use/searching-and-exporting',
  '/settings/administrators': 'use/administrators',
  '/settings/sessions': 'use/console#who-is-signed-in',
  '/sign-in/applications': 'use/signing-in',
  '/sign-in/directories': 'use/directories',
  '/sign-in/links': 'use/customers-administrator',
  '/sign-in/resources': 'use/protect-an-api',
  '/sign-in/sign-ins': 'use/sign-in-history',
  '/sign-in': 'use/providers',
  '/webhooks': 'use/receiving-webhooks',
}

export const helpPageOf = (path: string): string | undefined =>
  Object.entries(helpPages).find(([begin]) => path.startsWith(begin))?.[1]
