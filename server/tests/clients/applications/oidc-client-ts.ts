import { fileURLToPath } from 'node:url'
import express from 'express'
import { listen } from '../support/serve.ts'
import { clientId, issuer, redirectUri, scope, url } from '../support/settings.ts'

/** All of it happens in the browser: each path is the same page. */
const settings = {
  authority: issuer,
  client_id: clientId,
  redirect_uri: redirectUri,
  post_logout_redirect_uri: `${url}/`,
  scope,
  loadUserInfo: true,
}
const page = `<!doctype html><title>Example</title><link rel="icon" href="data:"><body><script src="/library/oidc-client-ts.js"></script><script>
  const { UserManager, WebStorageStateStore } = oidc
  const userStore = new WebStorageStateStore({ store: localStorage })
  const manager = new UserManager({ ...${JSON.stringify(settings)}, userStore })
  const signedIn = (user) => ({ ...user, sub: user?.profile.sub })
  const steps = {
    '/sign-in': () => manager.signinRedirect(),
    '/callback': () => manager.signinRedirectCallback().then(() => location.replace('/')),
    '/': () => manager.getUser().then(signedIn),
    '/refresh': () => manager.signinSilent().then(signedIn),
    '/user-info': () => manager.getUser().then((user) => user.profile),
    '/revoke': () => manager.revokeTokens().then(() => ({})),
    '/sign-out': () => manager.signoutRedirect(),
  }
  const tell = (text) => document.body.append(text)
  steps[location.pathname]().then((result) => result && tell(JSON.stringify(result)), (error) => tell(error.stack))
</script>`

const app = express()
app.use('/library', express.static(fileURLToPath(new URL('../browser', import.meta.resolve('oidc-client-ts')))))
app.use((_, response) => void response.type('html').send(page))
listen(app)
