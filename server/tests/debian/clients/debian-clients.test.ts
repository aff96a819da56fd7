import { join } from 'node:path'
import type { Client } from '../../clients/support/client.ts'
import { journeyThrough } from '../../clients/support/journey.ts'

const inFolder = (path: string) => join(import.meta.dirname, path)

/** `method`: how it has the browser ask for a sign-in. */
const modAuthOpenidc = (method: 'GET' | 'POST'): Client => ({
  name: `mod_auth_openidc by ${method}`,
  command: ['/usr/sbin/apache2', '-DFOREGROUND', '-f', inFolder('mod-auth-openidc/apache.conf')],
  files: inFolder('mod-auth-openidc/pages'),
  environment: { METHOD: method },
  listening: /resuming normal operations/,
  steps: ['refresh', 'user-info', 'sign-out'],
})

const clients: Client[] = [
  modAuthOpenidc('GET'),
  modAuthOpenidc('POST'),
  {
    name: 'Authlib',
    command: ['/usr/bin/python3', inFolder('authlib/application.py')],
    steps: ['refresh', 'user-info', 'revoke'],
  },
  {
    name: 'social-auth-app-django',
    command: ['/usr/bin/python3', inFolder('social-django/application.py')],
    fields: { require_pkce: false, groups_claim: false },
    callback: '/complete/oidc/',
    withholds: ['name', 'email_verified'],
    steps: ['user-info'],
  },
  {
    name: 'go-oidc',
    command: ['/usr/bin/go', 'run', inFolder('go-oidc/application.go')],
    environment: { GO111MODULE: 'off', GOPATH: '/usr/share/gocode' },
    steps: ['refresh', 'user-info'],
  },
  {
    name: 'openid_connect',
    command: ['/usr/bin/ruby', inFolder('ruby-openid-connect/application.rb')],
    listening: /WEBrick::HTTPServer#start: /,
    steps: ['refresh', 'user-info'],
  },
  {
    name: 'omniauth-openid-connect',
    command: ['/usr/bin/ruby', inFolder('omniauth/application.rb')],
    listening: /WEBrick::HTTPServer#start: /,
    fields: { require_pkce: false },
    callback: '/auth/signet/callback',
    button: 'Sign in with Signet',
    steps: ['user-info'],
  },
]

journeyThrough(clients)
