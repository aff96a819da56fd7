import type { Provider } from '../credentials/index.ts'
import { bitbucket } from './bitbucket.ts'
import type { Connector } from './connector.ts'
import { entra } from './entra.ts'
import { facebook } from './facebook.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { google } from './google.ts'
import { line } from './line.ts'
import { okta } from './okta.ts'
import { ownOidc } from './own-oidc.ts'

/** The connector of each provider name of the API. */
export const connectors: Record<Provider, Connector> = {
  provider_a: google,
  provider_b: github,
  provider_c: bitbucket,
  provider_d: gitlab,
  provider_e: facebook,
  provider_f: line,
  provider_g: entra,
  provider_h: okta,
  oidc: ownOidc,
}
