import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import { formPostPage } from '../../../ground/http/pages/index.ts'
import { show } from './pages.ts'

type Register = Provider['registerResponseMode']

/** The library keeps the first handler of a response mode, and registers its own while it is made: ours takes that place. */
export class ProviderWithFormPosts extends Provider {
  override registerResponseMode(...[name, handler]: Parameters<Register>) {
    super.registerResponseMode(name, name === 'form_post' ? postResponse : handler)
  }
}

/** The page is whole whatever it carries: an error is for the application, and of the person's request nothing is wrong. */
function postResponse(ctx: KoaContextWithOIDC, to: string, fields: object) {
  const texts = Object.entries(fields).filter(([, value]) => value !== undefined)
  show(ctx, formPostPage(to, Object.fromEntries(texts.map(([name, value]) => [name, String(value)]))))
  ctx.status = 200
}
