import express from 'express'
import session from 'express-session'
import { decodeJwt } from 'jose'
import passport from 'passport'
import { Strategy, type VerifyCallback } from 'passport-oauth2'
import { listen } from '../support/serve.ts'
import { clientId, clientSecret, issuer, redirectUri, scopes } from '../support/settings.ts'

class Signet extends Strategy {
  /** It leaves to its heirs how a profile is read. */
  override userProfile(accessToken: string, done: (error?: unknown, profile?: object) => void) {
    this._oauth2.useAuthorizationHeaderforGET(true)
    this._oauth2.get(`${issuer}/userinfo`, accessToken, (error, body) =>
      error ? done(error) : done(null, JSON.parse(String(body))),
    )
  }
}

const strategy = new Signet(
  {
    authorizationURL: `${issuer}/authorize`,
    tokenURL: `${issuer}/token`,
    callbackURL: redirectUri,
    clientID: clientId,
    clientSecret,
    scope: scopes,
    pkce: true,
    state: true,
  },
  (
    access_token: string,
    refresh_token: string,
    { id_token }: { id_token: string },
    profile: object,
    done: VerifyCallback,
  ) => done(null, { sub: decodeJwt(id_token).sub, access_token, refresh_token, id_token, profile }),
)
passport.use('signet', strategy)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user: Express.User, done) => done(null, user))

const app = express()
app.use(session({ secret: 'of a test', resave: false, saveUninitialized: false }), passport.session())
app.get('/sign-in', passport.authenticate('signet'))
app.get('/callback', passport.authenticate('signet', { successRedirect: '/' }))
app.get('/', ({ user }, response) => response.json(user ?? {}))
app.get('/user-info', ({ user }, response) => response.json((user as unknown as { profile: object }).profile))
listen(app)
