package scan

var spanish = Lexicon{
	{
		"ignore",
		`ignor/a/e/en/ar/ad/emos olvid/a/e/en/ar/es/ate/ese olvida_te desestim/a/e/ar descart/a/e/ar omit/e/a/ir no_sigas no_siga
		no_hagas_caso no_haga_caso haz_caso_omiso haga_caso_omiso hacer_caso_omiso deja_de_seguir deja_de_lado no_tengas_en_cuenta
		no_tenga_en_cuenta deje_de_lado pasa_por_alto`,
	},
	{
		"override",
		`anul/a/e/ar desactiv/a/e/ar elud/e/a/ir evit/a/e/ar omit/e/a/ir salt/a/ate sáltate elimin/a/e/ar borr/a/e/ar
		reemplaz/a/e/ar sobrescrib/e/a/ir cancel/a/e/ar deshabilit/a/e/ar invalida ignora ignore ignorar`,
	},
	{"prior", `anterior/es previa/s previo/s precedente/s original/es inicial/es antes anteriormente arriba hasta_ahora
		de_arriba de_antes recibidas`},
	{"other", `existente/s pasadas otras otros demás`},
	{
		"instr",
		`instruccion/es instrucción directriz directrices indicación indicacion/es orden órdenes ordenes prompt prompts
		prompt_del_sistema mensaje_del_sistema consigna/s directiva/s instrucciones_del_sistema`,
	},
	{
		"rules",
		`regla/s norma/s comando/s contexto tarea/s texto contenido mensaje/s información datos pregunta/s política/s mandatos
		restricciones`,
	},
	{"instead", `en_su_lugar en_vez solo sólo solamente únicamente`},
	{"you", `tú tu te ti usted ustedes vosotros`},
	{"your", `tu tus su sus vuestra vuestras`},
	{"be", `eres es sois serás será estás está conviértete ahora_eres sea sé`},
	{
		"act",
		`actúas actuarás actúa actua actúe actuar finge finja fingir compórtate comportate simul/a/e/ar imagina interpreta haz_de hazte_pasar pretende
		responde_como`,
	},
	{"as", `como el_papel_de que_eres de`},
	{
		"now",
		`ahora de_ahora_en_adelante a_partir_de_ahora desde_ahora en_adelante inmediatamente desde_este_momento ya`,
	},
	{
		"free",
		`sin_restricciones sin_restricción sin_límites sin_limites sin_filtros sin_filtro sin_censura no_censurado sin_reglas
		sin_ninguna_restricción ilimitado modo_desarrollador ninguna_restricción sin_limitaciones sin_ningún_límite sin_restricciones`,
	},
	{"agent", `agente/s`},
	{"model", `ia asistente/s modelo_de_lenguaje inteligencia_artificial modelo chatbot la_ia`},
	{"user", `usuario/s usuaria cliente humano persona`},
	{"system", `sistema interna/s interno/s secreta/s secreto/s oculta/s oculto/s inicial iniciales`},
	{"prompt", `prompt mensaje instrucciones indicaciones`},
	{"expose", `menciones mencione mencionar hables revel/a/e/ar dime dame divulg/a/ue/ar muéstrame`},
	{
		"reveal",
		`menciones mencione mencionar revel/a/e/ar muestr/a/e mostrar imprim/e/a/ir repit/e/a repetir dime diga dame entrega escrib/e/a/ir divulg/a/ue/ar
		lista comparte expon enseña devuelve`,
	},
	{"dont", `no nunca jamás jamas bajo_ninguna_circunstancia sin`},
	{"not", `nada no sin nunca ningún ninguna jamás`},
	{"tell", `digas diga decir decirle dile informes informe informar informarle avises avise avisar
		notifiques notifique notificar cuentes le_digas se_lo_digas comuniques adviertas alertes`},
	{
		"hide",
		`oculta oculte ocultar esconde esconda esconder en_secreto secretamente discretamente silenciosamente en_silencio
		sigilosamente mantén_en_secreto`,
	},
	{"permission", `preguntar confirmación permiso autorización consentimiento aprobación`},
	{
		"send",
		`envía envia envíe envie enviar envíale reenvía reenvia reenvíe reenviar manda mande mandar transmite transmita transmitir
		publica publique publicar comparte comparta compartir sube suba subir transfiere transfiera transferir exfiltra remite copia copie`,
	},
	{
		"manage",
		`elimina elimine borra borre crea cree añade añada invita invite compra compre transfiere transfiera reserva agrega`,
	},
	{
		"visit",
		`visita visite visitar abre abra abrir descarga descargue descargar instala instale haz_clic haga_clic entra`,
	},
	{"call", `llama llame llamar usa use usar utiliza utilice utilizar ejecuta ejecute ejecutar invoca invoque`},
	{"tool", `herramienta/s función funcion/es comando/s`},
	{
		"secret",
		`contraseña/s clave_api claves_api clave_de_api claves_de_api credencial/es token/s secreto/s clave_privada claves_privadas
		clave/s datos_bancarios tarjeta_de_crédito código_de_seguridad variables_de_entorno`,
	},
	{
		"data",
		`datos conversación conversaciones historial mensajes correos correo archivo/s fichero/s contenido documentos contactos
		información chat`,
	},
	{"place", `servidor dirección direccion cuenta sitio página url destinatario canal`},
	{"every", `todo toda todas todos cualquier cada todo_lo`},
	{"said", `dicho dije dicha dado dadas recibido escrito digo dijo dijiste recibidas`},
	{"what", `lo_que cuáles cuál qué que`},
	{"must", `debes debe deben tienes_que tiene_que deberás deberá has_de hay_que`},
	{"please", `por_favor`},
	{"following", `primero en_primer_lugar antes_de_nada`},
	{"before", `antes antes_de antes_que`},
	{"after", `después despues una_vez luego`},
	{
		"solve",
		`resolver resuelvas completar responder respondas responda responde continuar continúes terminar realizar hacer procesar
		seguir contestar`,
	},
	{"task", `tarea pregunta solicitud petición consulta`},
	{"following", `siguiente/s lo_siguiente`},
	{"obey", `sigue siga seguir obedece obedezca cumple cumpla ejecuta acata`},
	{"fresh", `nueva/s nuevo/s verdadera verdadero real`},
	{"urgent", `importante urgente atención advertencia crítico aviso obligatorio`},
	{"message", `mensaje nota aviso instrucción instrucciones notificación`},
	{"to", `al para hacia`},
	{"authority", `administrador administradora admin desarrollador desarrolladores`},
	{"safety", `seguridad ético éticas éticos moral contenido de_seguridad moderación`},
	{
		"limit",
		`restricciones restricción limitaciones límites filtros filtro controles medidas protocolos salvaguardas barreras reglas
		directrices políticas`,
	},
	{"response", `respuesta respuestas`},
	{"edit", `añade agrega incluye inserta empieza termina reemplaza traduce menciona`},
	{"ask", `debo_yo puedo_yo por_qué debería si_no_has si_usted`},
	{"refuse", `niegues rechaces rechazar negarte`},
	{"discuss", `ataque/s atacante/s ejemplo/s por_ejemplo investigadores malicioso/s inyección`},
}
