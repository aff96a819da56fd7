import express from 'express'
import { auth } from 'express-openid-connect'
import { listen } from '../support/serve.ts'
import { clientId, clientSecret, issuer, scope, url } from '../support/settings.ts'

const app = express()
app.use(
  auth({
    issuerBaseURL: issuer,
    baseURL: url,
    clientID: clientId,
    clientSecret,
    secret: 'of a test, and long enough for it',
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: 'code', scope },
    routes: { login: '/sign-in', logout: '/sign-out' },
  }),
)
app.get('/', ({ oidc }, response) => {
  const { user, idToken, refreshToken, accessToken } = oidc
  response.json({
    sub: user?.sub,
    access_token: accessToken?.access_token,
    refresh_token: refreshToken,
    id_token: idToken,
  })
})
app.get('/refresh', async ({ oidc }, response) => {
  await oidc.accessToken?.refresh()
  response.json({})
})
app.get('/user-info', async ({ oidc }, response) => response.json(await oidc.fetchUserInfo()))
listen(app)
