package personal

// A topic is a tag for several kinds, such as passports of any country. Words announce it.
const (
	topicPassport = iota
	topicLicence  // driving licences
	topicTax
	topicNational // identity cards and personal numbers
	topicSocial   // social security and pensions
	topicHealth   // insurance and patients
	topicRecord   // medical records
	topicMember   // health plans
	topicDoctor
	topicPlate
	topicChassis
	topicBank
	topicRouting
	topicCard
	topicPhone
	topicCall // weak evidence for a phone
	topicDesk // weak evidence for a phone, right beside it
	topicBirth
	topicCompany
	topicVAT
	topicIP
	topicDevice
	topicCoin
	topicVoter
	topicVersion
	topicNot // numbers of things: orders, tickets, versions
	topicCount

	firstKindTag = 64
)

// topicSet is a set of topics.
type topicSet uint64

const (
	aboutPassport topicSet = 1 << topicPassport
	aboutLicence  topicSet = 1 << topicLicence
	aboutTax      topicSet = 1 << topicTax
	aboutNational topicSet = 1 << topicNational
	aboutSocial   topicSet = 1 << topicSocial
	aboutHealth   topicSet = 1 << topicHealth
	aboutRecord   topicSet = 1 << topicRecord
	aboutMember   topicSet = 1 << topicMember
	aboutDoctor   topicSet = 1 << topicDoctor
	aboutPlate    topicSet = 1 << topicPlate
	aboutChassis  topicSet = 1 << topicChassis
	aboutBank     topicSet = 1 << topicBank
	aboutRouting  topicSet = 1 << topicRouting
	aboutCard     topicSet = 1 << topicCard
	aboutCompany  topicSet = 1 << topicCompany
	aboutVAT      topicSet = 1 << topicVAT
	aboutDevice   topicSet = 1 << topicDevice
	aboutCoin     topicSet = 1 << topicCoin
	aboutVoter    topicSet = 1 << topicVoter
)

// topicWords are the words of each topic; vocabulary documents how they are written.
var topicWords = map[int]string{
	topicPassport: `passport*, travel document, reisepass*, passnummer, pass nr, ausweisnummer, pasaporte, passeport, passaporto, passaporte,
		paspoort*, paszport*, pasport*, passi number, passin numero, passnumer, pasaport*, utlevel, putovnic*, potni list, pas nummer, pasnummer, pass nummer,
		pasaport, pase, uteve*, vegabref*, diabatirio*, διαβατηρι*, паспорт*, загранпаспорт*, 护照, 護照, パスポート, 旅券, 여권, หนังสือเดินทาง,
		ho chieu, hộ chiếu, paspor, جواز, דרכון, पासपोर्ट`,
	topicLicence: `driver licen*, drivers licen*, driver s licen*, driver’s licen*, driving licen*, driver license, DL, drivers permit, driving permit,
		licence number, license number, operator licen*, DLN, fuhrerschein*, fuehrerschein*, fahrerlaubnis*, permis de conduire, permis, numero de permis,
		patente, patente di guida, licencia de conduc*, permiso de conduc*, carnet de conduc*, licencia de manejo, carta de conducao, carteira de motorista,
		habilitacao, CNH, rijbewijs*, prawo jazdy, prawa jazdy, ridicsky prukaz, vodicsky preukaz, jogositvany*, vezetoi engedely*, permis auto,
		korkort*, forerkort*, korekort*, ajokortti*, ajokortin, juhiluba, juhiloa, vaditaja apliecib*, vairuotojo pazym*, vozacka dozvola, vozniško dovoljenje,
		ehliyet*, surucu belgesi, водительск*, права, посвідчення водія, шофьорска, 驾照, 驾驶证, 駕照, 運転免許*, 免許証, 운전면허*, 면허번호, 면허,
		ใบขับขี่, giay phep lai xe, SIM A, surat izin mengemudi, lesen memandu`,
	topicTax: `tax id, taxid, taxpayer, tax number, tax identification, tax file, tax no, tax reference, tax code, TIN, NIF, ITIN, fiscal code, fiscal number,
		steuernummer, steuer nr, steuer id*, steueridentifikation*, identification fiscale, numero fiscal, codice fiscale, numero de identificacion fiscal,
		identificacion tributaria, contribuinte, contribuyente, impuestos, skattenummer, belastingnummer, sofinummer, vergi, adoszam*, ado szam, dan cislo,
		danove, porezni, davcna, podatk*, NIP, verokortti, afm, αφμ, ИНН, налогоплательщик*, 税号, 稅號, 纳税人, 個人番号, 세금, เลขประจำตัวผู้เสียภาษี, ma so thue, npwp`,
	topicNational: `national id*, national identity, national identification, nationalid, identity card, identity number, identity no, identity document, id card, idcard, id number, idnumber,
		id no, personal id*, personal number, personal code, personal identity, identification number, identification card, civil id, citizen id, citizen number, citizenship number, resident id*,
		resident registration, resident number, residence permit, permanent resident, refugee id, government id, govt id, govid, nin, national number, national insurance,
		personalausweis*, ausweis, identitatskarte, personenkennzahl, personnummer, personenummer, personnr, fodselsnummer, fodselsnr, cpr nummer, personalnummer,
		carte d identite, carte nationale, numero d identite, cni, documento de identidad, documento nacional, numero de identidad, cedula*, carne de identidad, carnet de identidad, identificacion,
		documento d identita, carta d identita, carta identita, bilhete de identidade, cartao de cidadao, documento de identificacao, identidade, rijksregister*, registre national, numero national,
		identiteitskaart*, identiteitsbewijs, burgerservice*, dowod osobist*, dowodu osobist*, numer dowodu, rodne cislo, rodneho cisla, obcansk*, obciansk*, szemelyi*, buletin, carte de identitate, cod numeric,
		лична карта, osobna iskaznica, osebna izkaznica, licna karta, maticni broj, emso, kimlik*, nufus, tautotita*, ταυτοτητα*, henkilotunnu*, henkilokort*, isikukood*, id kaart, asmens kod*,
		personas kod*, kennital*, teudat zehut, תעודת זהות, ت ز, هوية, الهوية, الرقم القومي, 身份证*, 身分證*, 身份證*, 居民身份, 公民身份, 証号, 주민등록*, 주민번호, 외국인등록*, 신분증, บัตรประชาชน, เลขประจำตัวประชาชน,
		can cuoc, cccd, cmnd, căn cước, chứng minh, ktp, nik, kartu tanda penduduk, kad pengenalan, mykad, aadhaar, aadhar, आधार, удостоверение личности`,
	topicSocial: `social security, socialsecurity, social insurance, soc sec, pension number, pension insurance, versicherungsnummer, sozialversicherung*, rentenversicherung*, securite sociale,
		numero de securite, seguridad social, seguranca social, previdencia, numero di previdenza, sociale zekerheid, assurance sociale, assurance maladie, ubezpieczen*, socialnummer, nss, nss number, AHV, AVS, sv nummer, svnr`,
	topicHealth: `health insurance, health card, health care number, healthcare number, health number, medicare*, medicaid, nhs, patient*, insurance card, krankenversicher*, krankenkasse*, versichertennummer, versicherten nr,
		gesundheitskarte, carte vitale, carte sante, assurance maladie, tarjeta sanitaria, tessera sanitaria, cartao sus, cartao nacional de saude, zorgpas, mutuelle, ubezpieczenie zdrowotne, taj szam*, insured`,
	topicRecord: `medical record*, patient record*, MRN, patient id*, patientid, patient number, patient no, chart number, chart no, hospital number, hospital no, health record*, medrecord*, patientennummer, patienten id, fallnummer,
		numero de dossier medical, numero patient, historia clinica, numero de historia, cartella clinica, prontuario, patientnummer, emr number, ehr id, encounter number, case record`,
	topicMember: `member id*, memberid, subscriber id*, subscriber number, policy number, policy no, insurance id*, insurance number, insurance policy, beneficiary id*, health plan, group number, claim number, policynumber,
		insurance member, medicaid id, police nummer, versicherungsschein*, numero de police, numero de poliza, numero di polizza`,
	topicDoctor: `npi, provider id*, provider number, national provider, physician id*, doctor number, dea, dea number, medical license, medical licence, prescriber*, certificate number, arztnummer, lanr, betriebsstattennummer, bsnr`,
	topicPlate: `license plate*, licence plate*, number plate*, plate, plates, plate number, plate no, registration plate*, vehicle registration*, car registration, vehicle reg, car reg, registration number, vehicle number, vehicle no, vrn, vrm, car number, tag number,
		kennzeichen, kfz*, nummernschild*, autokennzeichen, fahrzeug*, kontrollschild, immatriculation, plaque d immatriculation, plaque, matricula, patente vehic*, placa, placas, chapa, targa, kenteken*, nummerplaat, rejestrac*, numer rejestracyjny, tablica,
		spz, ecv, rendszam*, numar de inmatriculare, inmatriculare, registracija, registarsk*, tablice, plaka*, rekisterinumero, rekisterikilpi, registreringsnummer, regnummer, registreringsskylt, nummerplade, skilt, πινακιδα, госномер*, номерной знак, номер автомобиля, номерний знак,
		车牌*, 車牌*, ナンバープレート, 車両番号, 차량번호, 번호판, ทะเบียนรถ, bien so, plat nomor, nomor polisi, plat kereta`,
	topicChassis: `vin, vehicle identification, chassis, frame number, fahrgestellnummer, fin nummer, FIN, numero de chasis, bastidor, numero de serie du vehicule, telaio, chassisnummer`,
	topicBank: `bank account*, bankaccount, account number, account no, account num, acct, acct no, acct number, accountnumber, checking account, savings account, checking, savings, current account, deposit account, beneficiary account, bank acc, a c no, account nr,
		kontonummer, kontonr, konto nr, konto, bankverbindung, bankkonto, numero de compte, compte bancaire, rib, cuenta bancaria, numero de cuenta, cuenta corriente, conta corrente, conta bancaria, numero da conta, conto corrente, numero conto, conto bancario,
		rekeningnummer, bankrekening, numer konta, numer rachunku, rachunek, cislo uctu, szamlaszam*, bankszamla*, numar cont, cont bancar, tilinumero, kontonumer*, hesap no, hesap numarasi, счет*, банковский счет, номер счета, рахун*, 银行账号, 账号, 帳號, 銀行帳號, 口座番号, 계좌*,
		เลขบัญชี, so tai khoan, rekening, no rekening, bank number, bank acct`,
	topicRouting: `routing*, aba, rtn, transit number, bank code, sort code, sortcode, wire transfer, ach, bank routing, bankleitzahl, blz, bsb, ifsc, swift*, bic, clabe, cbu, cvu, iban, routing no, institution number`,
	topicCard: `card, cards, credit card*, creditcard*, debit card*, payment card*, card number, cardnumber, card no, cc, ccn, cc number, ccnum, card num, pan, PAN, visa, mastercard, amex, american express, discover, diners, jcb, maestro, unionpay, mir,
		kreditkart*, karte, kartennummer, carte bancaire, carte de credit, carte bleue, numero de carte, tarjeta*, numero de tarjeta, cartao, cartao de credito, numero do cartao, carta di credito, carta, creditcard, kaart, kaartnummer, karta, karty, numer karty, kartu kredit, kredi karti, kart no,
		cislo karty, bankkartya*, kartyaszam, luottokort*, kreditkort*, kortnummer, kort, πιστωτικη, карта, карты, номер карты, картка, 信用卡*, 银行卡*, 卡号, クレジットカード, カード番号, 카드*, 신용카드, บัตรเครดิต, the tin dung, بطاقة, כרטיס`,
	topicPhone: `phone*, telephone*, tel, tel no, telno, telnr, mobile, mobile no, mobiles, cell, cellphone*, cell phone*, fax*, whatsapp, telegram, viber, signal number, sms, contact number, contact no, call me, call us, callback number, caller, caller id, dial, hotline, helpline, handy*, handynummer, rufnummer*, mobilnummer*, mobiltelefon*,
		telefon*, telefonnummer, telefax, festnetz, mobil, durchwahl, telephone, portable, numero de telephone, mobile phone, teléfono*, telefono*, celular*, movil, numero de telefono, cellulare*, numero di telefono, recapito, telefone*, telemovel, fone, telefoon*, telefoonnummer, gsm, mobiel*, komorka, komorkow*,
		numer telefonu, telefonszam*, puhelin*, matkapuhelin*, puhelinnumero, puh, telefonsiffra, tlf, tlf nr, mobilnr, simi, farsimi, tālrun*, talrun*, telefono nr, τηλεφωνο*, τηλ, κινητο*, телефон*, тел, моб, мобильн*, мобілн*, номер телефона, cep, cep tel*, telefonu, 电话*, 電話*, 手机*, 手機*, 携帯*, 전화*, 휴대폰*, 핸드폰*, 연락처,
		โทร*, มือถือ, dien thoai, sdt, số điện thoại, điện thoại, nomor hp, no hp, hp, no telp, telp, هاتف, جوال, موبايل, تلفن, טלפון, נייד, फोन, मोबाइल, msisdn, phonenumber, mobilenumber`,
	topicCall: `call, called, calling, calls, ring, reach, reached, reachable, text me, text us, contact, contacts, answering, answers at, messages to, message to, texting, texted, number is, numbers is, my number, number to, dialing, dialed, dialled, ext, extension, voicemail, landline, direct line, switchboard, reception, emergency, anrufen, anruf, erreichbar, erreichen,
		appeler, appelez, joindre, llamar, llame, llamame, contacto, contactar, chiamare, chiama, contatto, ligar, ligue, contato, bellen, bereikbaar, zadzwon, kontakt, kontaktnummer, ring meg, soita, звоните, позвоните, дзвоніть, 联系, 聯絡, 連絡先, 연락`,
	topicDesk: `desk, office, home, work, business, direct, main, buro, bureau, oficina, ufficio, kantoor, praca, day, evening, ph`,
	topicBirth: `birth, birthday, birthdate*, birth date, date of birth, dateofbirth, birth day, born, born on, dob, d o b, bday, b day, date birth, geboren*, geb, geb am, geburtsdatum, geburtstag*, geburtsdat*, ne le, nee le, nee e le, ne e le, date de naissance, naissance, datenaissance, nacido*, nacida*, nacimiento, fecha de nacimiento, fecha nac*, f nac, fec nac, nascimento, data de nascimento, nascido*, nascida*, data nasc,
		dn, nato il, nata il, nato a, nata a, data di nascita, nascita, geboortedatum, geboortedat*, geboren op, geboorte*, urodzon*, ur, urodzenia, data urodzenia, narozen*, datum narozeni, narodeny*, narodenia, szuletett, szuletesi*, szuletes*, nascut*, nasterii, nasterea, data nasterii, rojen*, datum rojstva, roden*, rodjen*, datum rodenja, datum rodjenja, γεννηθηκε*, γεννησης, γεννημεν*, ημερομηνια γεννησης,
		fodt, fodd, fodselsdato, fodelsedatum, fodelsedag, fodselsdag, foedt, syntynyt, syntymaaika*, syntymapaiv*, sundinud, sunnikuupaev*, dzimis*, dzimsanas, gime, gimimo, faeddur, faedd, faedingardag*, dogum*, dogum tarihi, dogumlu, рождения, родился, родилась, дата рождения, д р, народився, народилася, народження, роден*, датум рођења, 出生*, 生日, 生年月日, 誕生日, 생년월일, 생일, 출생,
		วันเกิด, เกิดวันที่, ngay sinh, ngày sinh, sinh ngay, tanggal lahir, tgl lahir, lahir, tarikh lahir, تاريخ الميلاد, ولد, תאריך לידה, נולד, जन्म*`,
	topicCompany: `company number, company no, company registration, company reg, registration no, business number, business registration, business id, trade register, commercial register, corporate number, enterprise number, entity number, organisation number, organization number, org nr, orgnr, org no, organisationsnummer, organisasjonsnummer,
		handelsregister*, amtsgericht*, registergericht, firmenbuch*, registre du commerce, rcs, numero d entreprise, ondernemingsnummer, kvk*, registro mercantil, registro imprese, rea, krs, regon, ico, obchodni rejstrik, cegjegyzek*, y tunnus, cvr*, unternehmensnummer, ogrn, огрн, едрпоу, єдрпоу, 统一社会信用代码, 統一編號, 法人番号, 사업자*, 사업자등록*, 법인등록*`,
	topicVAT:     `vat, vat id, vat no, vat number, vat reg*, vatin, ust id*, ust idnr, ustid*, umsatzsteuer*, uid nr, uid nummer, mwst*, tva, tva intra*, numero de tva, n tva, iva, partita iva, p iva, piva, btw, btw nummer, btw nr, moms, momsnummer, momsnr, mva, alv, dph, ic dph, dic, afa, pdv, gst, gst number, gstin, nif iva`,
	topicIP:      `ip, ip address*, ipaddress*, ipaddr, ip addr, ipv4, ipv6, client ip, remote ip, source ip, src ip, dst ip, remote addr, host ip, inet, inet6, nameserver, gateway, subnet, ip adresse*, adresse ip, direccion ip, indirizzo ip, endereco ip, адрес ip`,
	topicDevice:  `imei, imeisv, meid, device id*, deviceid, serial number, equipment identity, handset, imsi, iccid, sim card, sim number, esim`,
	topicCoin:    `bitcoin*, btc, wallet*, crypto*, eth, ethereum, address*, blockchain, ltc, litecoin, xrp, ripple, solana, sol, SOL, usdt, usdc, token, donate, donation*, monero, xmr, doge*, tron, trx, deposit, cardano, ada, payout*, metamask, recipient`,
	topicVoter:   `voter*, voter id*, voterid, elector*, epic, electoral, elections, clave de elector, titulo de eleitor, titulo eleitor*, मतदाता`,
	topicVersion: `version*, ver, v, release*, build*, firmware, changelog, upgrade*, sdk, chrome, safari, firefox, edge, edg, android, webkit, applewebkit, gecko, semver, assembly, nuget, oid`,
	topicNot: `order, orders, order no, order id, order number, invoice*, tracking*, ticket*, build, commit*, timestamp*, isbn, issn, doi, sku, upc, asin, product, item, items, part no, part number, model, receipt, transaction*, txn, trx id, request id, requestid, trace*, span id, run id, job id, message id, tweet, status id, post id, video id, page id, session*, hash,
		checksum, bytes, byte, size, sha, md5, uuid, epoch, unix time, duration, ms, latency, population, total, revenue, amount, price, cost, usd, eur, views, followers, downloads, stars, score, votes, lines, version*, revision*, zip code, coordinates, latitude, longitude, lat, lon, lng, bestellnummer, bestellung, rechnung*, sendungsnummer, commande, facture, pedido, factura, ordine, fattura, zamowien*, faktura, заказ*, 订单*, 注文*, 주문*, offset, index, seed, port, pid, arxiv, pmid, figure, chapter, section, issue, pull request`,
}
