/** At these anybody gets an address, so no customer's provider vouches for them. As A-labels in lower case. */
const domains = new Set(
  `
  gmail.com googlemail.com
  live.com live.ca live.cn live.co.uk live.com.ar live.com.au live.com.mx live.com.pt live.de live.dk live.fi live.fr live.ie live.it
  live.jp live.nl live.no live.se msn.com passport.com windowslive.com
  ymail.com rocketmail.com myyahoo.com
  icloud.com me.com mac.com privaterelay.appleid.com
  aol.com aol.de aol.fr aol.it aol.co.uk aim.com verizon.net att.net bellsouth.net sbcglobal.net comcast.net cox.net charter.net
  earthlink.net juno.com netzero.net optonline.net roadrunner.com windstream.net frontier.com centurylink.net
  web.de email.de mail.de freenet.de t-online.de magenta.de posteo.de posteo.net mailbox.org arcor.de vodafone.de 1und1.de online.de
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com tuta.io tuta.com keemail.me
  mail.com email.com usa.com europe.com asia.com consultant.com engineer.com post.com myself.com dr.com writeme.com iname.com
  mail.ru bk.ru inbox.ru list.ru internet.ru rambler.ru ya.ru ukr.net i.ua meta.ua
  qq.com foxmail.com vip.qq.com 163.com 126.com yeah.net vip.163.com sina.com sina.cn sohu.com 139.com 189.cn aliyun.com tom.com 21cn.com
  naver.com daum.net hanmail.net nate.com kakao.com
  docomo.ne.jp ezweb.ne.jp au.com softbank.ne.jp i.softbank.jp ybb.ne.jp nifty.com biglobe.ne.jp so-net.ne.jp ocn.ne.jp excite.co.jp
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr numericable.fr aliceadsl.fr
  libero.it virgilio.it alice.it tin.it tiscali.it inwind.it iol.it email.it poste.it
  terra.com terra.com.br uol.com.br bol.com.br ig.com.br globo.com globomail.com r7.com
  btinternet.com virginmedia.com sky.com talktalk.net ntlworld.com blueyonder.co.uk tiscali.co.uk
  bluewin.ch hispeed.ch sunrise.ch gmx.net telenet.be skynet.be proximus.be ziggo.nl kpnmail.nl planet.nl home.nl xs4all.nl
  wp.pl o2.pl onet.pl op.pl interia.pl poczta.fm seznam.cz email.cz centrum.cz post.cz azet.sk freemail.hu citromail.hu abv.bg mail.bg
  telia.com bredband.net online.no tdcadsl.dk jubii.dk sapo.pt clix.pt telefonica.net walla.co.il
  rediffmail.com rediff.com sify.com bigpond.com optusnet.com.au iinet.net.au xtra.co.nz shaw.ca rogers.com sympatico.ca videotron.ca
  zoho.com zohomail.com zohomail.eu fastmail.com fastmail.fm hey.com hushmail.com runbox.com startmail.com mailfence.com duck.com
  disroot.org riseup.net inbox.lv inbox.com lycos.com excite.com gawab.com
  mailinator.com guerrillamail.com 10minutemail.com temp-mail.org tempmail.com yopmail.com trashmail.com sharklasers.com getnada.com
  maildrop.cc dispostable.com throwawaymail.com discard.email
  users.noreply.github.com users.noreply.gitlab.com mozmail.com simplelogin.com anonaddy.com
  onmicrosoft.com
  `
    .trim()
    .split(/\s+/),
)

/** They have one name under many countries. */
const families = /^(?:yahoo|hotmail|outlook|gmx|yandex)\.(?:[a-z]{2,4}|com?\.[a-z]{2})$/

export const isPublicMailDomain = (domain: string): boolean => domains.has(domain) || families.test(domain)
