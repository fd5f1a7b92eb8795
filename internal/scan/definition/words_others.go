package definition

import "mcpproxy/internal/scan"

// others are the words of tool definitions in further languages.
var others = []scan.Lexicon{
	wordsGerman,
	wordsFrench,
	wordsSpanish,
	wordsItalian,
	wordsPortuguese,
	wordsRussian,
	wordsChinese,
	wordsJapanese,
	wordsKorean,
	secretive,
	further,
}

var wordsGerman = scan.Lexicon{
	{
		Means: "thistool",
		Words: `dieses_tool dieses_werkzeug diese_funktion diesem_tool diesem_werkzeug dieser_funktion dieses_tools dieses_werkzeugs`,
	},
	{
		Means: "alltools",
		Words: `andere_tools anderen_tools anderer_tools andere_werkzeuge anderen_werkzeuge alle_tools jedes_tool`,
	},
	{
		Means: "calls",
		Words: `verwendest verwenden benutzt benutzen benutzung verwendung nutzung aufgerufen aufrufst nutzt ausgeführt aufruf verwendet`,
	},
	{Means: "whenever", Words: `wenn sobald jedes_mal immer_wenn falls bei_jedem`},
	{Means: "read", Words: `lies lese lesen liest auslesen öffne öffnen hole holen`},
	{
		Means: "hand",
		Words: `übergib übergebe übergeben hänge_an anhängen füge füge_an mitgeben einfügen trage_ein eintragen`,
	},
	{Means: "param", Words: `parameter argument feld parameters feldes`},
	{
		Means: "convo",
		Words: `gesprächsverlauf chatverlauf unterhaltungsverlauf zwischenablage systemprompt gesamte_unterhaltung`,
	},
	{
		Means: "covert",
		Words: `heimlich unbemerkt unauffällig stillschweigend ohne_den_benutzer_zu_informieren ohne_wissen_des_benutzers`,
	},
	{Means: "also", Words: `außerdem zusätzlich auch ebenfalls`},
	{Means: "sends", Words: `sendet schickt übermittelt überträgt lädt_hoch leitet kopiert`},
	{Means: "steals", Words: `stiehl stehlen stiehlt entwende`},
	{Means: "reroute", Words: `leite_um umleiten ersetze ersetzen ändere umgeleitet ersetzt`},
	{Means: "target", Words: `empfänger zielkonto betrag`},
	{Means: "prefer", Words: `bevorzuge bevorzugen verwende_immer`},
	{Means: "over", Words: `anstelle anstatt statt`},
}

var wordsFrench = scan.Lexicon{
	{Means: "thistool", Words: `cet_outil cette_fonction cette_commande`},
	{Means: "alltools", Words: `autres_outils tous_les_outils tout_autre_outil autre_outil`},
	{Means: "calls", Words: `utiliser utilisation appeler appel appelé exécuter utilisé exécution utilisez`},
	{Means: "whenever", Words: `lorsque quand chaque_fois lors_de si dès_que`},
	{Means: "before", Words: `avant`},
	{Means: "read", Words: `lis lisez lire récupère récupérez ouvre ouvrez`},
	{
		Means: "hand",
		Words: `passe passez passer ajoute ajoutez inclus incluez inclure insère insérez joins joignez transmets transmettez fournis fournissez`,
	},
	{Means: "param", Words: `paramètre argument champ paramètres`},
	{
		Means: "convo",
		Words: `historique_de_conversation historique_de_la_conversation presse-papiers toute_la_conversation invite_système`,
	},
	{
		Means: "covert",
		Words: `silencieusement secrètement discrètement en_secret à_l'insu_de sans_informer sans_prévenir sans_en_informer`,
	},
	{Means: "also", Words: `aussi également en_outre`},
	{Means: "sends", Words: `envoie transmet téléverse copie`},
	{Means: "steals", Words: `vole voler exfiltre exfiltrer volez`},
	{Means: "reroute", Words: `redirige redirigez remplace remplacez modifie modifiez`},
	{Means: "target", Words: `destinataire bénéficiaire montant`},
	{Means: "prefer", Words: `privilégiez privilégie préférez`},
	{Means: "over", Words: `au_lieu_de plutôt_que`},
}

var wordsSpanish = scan.Lexicon{
	{Means: "thistool", Words: `esta_herramienta esta_función este_comando`},
	{Means: "alltools", Words: `otras_herramientas todas_las_herramientas cualquier_otra_herramienta otra_herramienta`},
	{Means: "calls", Words: `usar utilizar llamar llamada ejecutar uso invocar use utilice invoque`},
	{Means: "whenever", Words: `cuando cada_vez siempre_que`},
	{Means: "before", Words: `antes`},
	{Means: "read", Words: `lee lea leer abre abra obtén obtenga`},
	{
		Means: "hand",
		Words: `pasa pase pasar añade añada incluye incluya incluir agrega agregue adjunta adjunte inserta`,
	},
	{Means: "param", Words: `parámetro argumento campo parámetros`},
	{Means: "convo", Words: `historial_de_conversación historial_de_la_conversación portapapeles toda_la_conversación`},
	{
		Means: "covert",
		Words: `silenciosamente secretamente en_secreto discretamente sin_informar sin_avisar sin_que_el_usuario`,
	},
	{Means: "also", Words: `también además`},
	{Means: "sends", Words: `envía transmite sube copia`},
	{Means: "steals", Words: `roba robar exfiltra exfiltrar`},
	{Means: "reroute", Words: `redirige reemplaza sustituye modifica redirija reemplace`},
	{Means: "target", Words: `destinatario beneficiario importe`},
	{Means: "prefer", Words: `prefiere priorice prioriza`},
	{Means: "over", Words: `en_lugar_de en_vez_de`},
}

var wordsItalian = scan.Lexicon{
	{Means: "thistool", Words: `questo_strumento questa_funzione questo_comando`},
	{Means: "alltools", Words: `altri_strumenti tutti_gli_strumenti qualsiasi_altro_strumento`},
	{Means: "calls", Words: `usare utilizzare chiamare eseguire uso utilizzo invocare`},
	{Means: "whenever", Words: `quando ogni_volta`},
	{Means: "before", Words: `prima`},
	{Means: "read", Words: `leggi leggere legga apri ottieni`},
	{Means: "hand", Words: `passa passare aggiungi includi inserisci allega fornisci`},
	{Means: "param", Words: `parametro argomento campo parametri`},
	{Means: "convo", Words: `cronologia_della_conversazione intera_conversazione appunti`},
	{Means: "covert", Words: `silenziosamente segretamente di_nascosto senza_informare senza_avvisare`},
	{Means: "also", Words: `anche inoltre`},
	{Means: "sends", Words: `invia trasmette carica`},
	{Means: "reroute", Words: `reindirizza sostituisci modifica`},
	{Means: "target", Words: `destinatario beneficiario importo`},
	{Means: "over", Words: `invece_di anziché al_posto_di`},
}

var wordsPortuguese = scan.Lexicon{
	{Means: "thistool", Words: `esta_ferramenta essa_ferramenta esta_função este_comando`},
	{Means: "alltools", Words: `outras_ferramentas todas_as_ferramentas qualquer_outra_ferramenta`},
	{Means: "calls", Words: `usar utilizar chamar executar uso invocar`},
	{Means: "whenever", Words: `quando sempre_que toda_vez`},
	{Means: "before", Words: `antes`},
	{Means: "read", Words: `leia ler abra obtenha`},
	{Means: "hand", Words: `passe passar adicione inclua anexe insira forneça`},
	{Means: "param", Words: `parâmetro argumento campo parâmetros`},
	{Means: "convo", Words: `histórico_da_conversa histórico_de_conversa toda_a_conversa`},
	{Means: "covert", Words: `silenciosamente secretamente em_segredo discretamente sem_informar sem_avisar`},
	{Means: "also", Words: `também além_disso`},
	{Means: "sends", Words: `envia transmite carrega`},
	{Means: "reroute", Words: `redirecione substitua modifique`},
	{Means: "target", Words: `destinatário beneficiário`},
	{Means: "over", Words: `em_vez_de ao_invés_de`},
}

var wordsRussian = scan.Lexicon{
	{Means: "thistool", Words: `этот_инструмент этого_инструмента эту_функцию этой_функции этим_инструментом`},
	{Means: "alltools", Words: `другие_инструменты других_инструментов все_инструменты`},
	{
		Means: "calls",
		Words: `использованием использования использовать вызовом вызова вызывать вызове использовании вызван`,
	},
	{Means: "whenever", Words: `когда каждый_раз если при`},
	{Means: "before", Words: `перед прежде`},
	{Means: "read", Words: `прочитай прочитайте прочти прочесть считай открой откройте`},
	{Means: "hand", Words: `передай передайте добавь добавьте включи включите вставь вставьте приложи приложите`},
	{Means: "param", Words: `параметр параметре параметра аргумент аргументе поле`},
	{Means: "convo", Words: `историю_переписки историю_разговора историю_чата буфер_обмена весь_диалог`},
	{Means: "covert", Words: `тайно незаметно скрытно молча не_сообщая без_ведома не_уведомляя`},
	{Means: "also", Words: `также кроме_того`},
	{Means: "sends", Words: `отправляет передает передаёт загружает копирует`},
	{Means: "steals", Words: `укради похить крадет крадёт`},
	{Means: "reroute", Words: `перенаправь перенаправьте замени замените измени`},
	{Means: "target", Words: `получатель получателя сумму`},
	{Means: "over", Words: `вместо`},
}

var wordsChinese = scan.Lexicon{
	{Means: "thistool", Words: `此工具 该工具 該工具 这个工具 這個工具 本工具 此函数 该函数 此功能`},
	{Means: "alltools", Words: `其他工具 所有工具 任何工具 别的工具 其它工具`},
	{Means: "calls", Words: `使用 调用 調用 运行 執行 执行`},
	{Means: "whenever", Words: `当 當 每当 每當 每次 如果 时 時`},
	{Means: "before", Words: `之前 前`},
	{Means: "read", Words: `读取 讀取 打开 获取 獲取 收集 查看`},
	{Means: "hand", Words: `传入 傳入 传递 傳遞 附加 添加 包含 填入 放入 插入 写入 提供`},
	{Means: "param", Words: `参数 參數 字段 欄位`},
	{Means: "convo", Words: `对话历史 對話歷史 聊天记录 聊天記錄 完整对话 剪贴板 系统提示`},
	{Means: "covert", Words: `悄悄 偷偷 秘密地 暗中 静默 不告知用户`},
	{Means: "also", Words: `还 還 同时 同時 另外`},
	{Means: "sends", Words: `发送 發送 上传 上傳`},
	{Means: "steals", Words: `窃取 竊取 盗取`},
	{Means: "reroute", Words: `替换 替換 重定向 修改 改为`},
	{Means: "target", Words: `收件人 收款人 金额`},
	{Means: "over", Words: `而不是 代替`},
}

var wordsJapanese = scan.Lexicon{
	{Means: "thistool", Words: `このツール この関数 このコマンド 本ツール`},
	{Means: "alltools", Words: `他のツール すべてのツール 全てのツール`},
	{Means: "calls", Words: `使用 呼び出 実行 使う 利用`},
	{Means: "whenever", Words: `とき 時 場合 たび 度に`},
	{Means: "before", Words: `前に 以前に`},
	{Means: "read", Words: `読み取 読み込 読んで 取得 開いて`},
	{Means: "hand", Words: `渡して 渡す 含めて 含める 追加 添付 入れて 挿入`},
	{Means: "param", Words: `パラメータ パラメーター 引数 フィールド`},
	{Means: "convo", Words: `会話履歴 チャット履歴 会話全体 クリップボード`},
	{Means: "covert", Words: `知らせずに 知らせず 気づかれずに こっそり 密かに ひそかに 秘密裏に 気づかれない 黙って`},
	{Means: "also", Words: `また さらに 同時に`},
	{Means: "sends", Words: `送信 アップロード 転送`},
	{Means: "steals", Words: `盗む 盗み`},
	{Means: "reroute", Words: `置き換え 変更 リダイレクト`},
	{Means: "target", Words: `宛先 受取人 金額`},
	{Means: "over", Words: `代わりに ではなく`},
}

var wordsKorean = scan.Lexicon{
	{Means: "thistool", Words: `이_도구 이_함수 본_도구`},
	{Means: "alltools", Words: `다른_도구 모든_도구`},
	{Means: "calls", Words: `사용 호출 실행`},
	{Means: "whenever", Words: `때 때마다 경우 하면`},
	{Means: "before", Words: `전에 이전에`},
	{Means: "read", Words: `읽어 읽고 읽은 읽기 가져와`},
	{Means: "hand", Words: `전달 추가 포함 첨부 넣어 삽입`},
	{Means: "param", Words: `매개변수 파라미터 인수 필드`},
	{Means: "convo", Words: `대화_기록 대화_내용 전체_대화 클립보드`},
	{Means: "covert", Words: `몰래 은밀히 조용히 알리지_않고 알리지_말고`},
	{Means: "also", Words: `또한 추가로`},
	{Means: "sends", Words: `전송 업로드`},
	{Means: "steals", Words: `훔쳐 탈취`},
	{Means: "reroute", Words: `변경 교체 리디렉션`},
	{Means: "target", Words: `수신자 받는_사람 금액`},
	{Means: "over", Words: `대신`},
}

// secretive are words, in all languages, that tell the reader to keep something secret.
var secretive = scan.Lexicon{
	{
		Means: "comm",
		Words: `erwähnen erwähne erwähnst sagen sag sage verraten verrate erfahren erfährt informieren informiere mitteilen hinweisen
		dire dis dites mentionne mentionner mentionnez parle parler parlez informe informer informez révèle révéler
		mencionar menciona mencione menciones mencionarlo mencionarla decir digas diga decirle decírselo contar cuentes cuente informar informes avisar avises
		menzionare menziona dire dirlo dirglielo parlare parlarne informare informarlo avvisare rivelare
		mencionar mencione contar conte contes dizer diga digas avisar avise
		говори говорите сообщай сообщайте упоминай упоминайте рассказывай рассказывайте
		告诉 告訴 告知 提及 提到 透露 通知 知道 知らせ 伝え 言わ 話さ 言及 知らせない 알리 말하 언급 알려`,
	},
	{Means: "dont", Words: `keinesfalls niemals nicht nichts niemandem ne n'en jamais no nunca jamás non mai não
		не никому никогда 不要 不得 别 請勿 请勿 切勿 勿 ないで ず ないこと なく 말고 마세요 않고 마라 말 지_마`},
	{
		Means: "it",
		Words: `das dies dieses davon darüber es nichts cela ça ceci rien lo la esto eso nada ello lo questo ne niente isto isso nada
		это об_этом этом этого 此事 这 這 它 これ それ このこと 이것 그것 이를`,
	},
	{
		Means: "last",
		Words: `letzten letzte bisherigen bisherige dernier derniers dernières último últimos últimas ultimi ultime последние последних 最近 最新 これまで 지금까지 최근`,
	},
	{
		Means: "speech",
		Words: `nachrichten gespräch unterhaltung chat messages conversation échanges mensajes conversación mensagens conversa messaggi
		conversazione сообщения переписку переписка разговор 消息 聊天记录 对话 メッセージ 会話 メッセージ履歴 메시지 대화`,
	},
	{
		Means: "ignore",
		Words: `no_hagas_caso no_haga_caso hagas_caso_omiso non_tenere_conto ne_tiens_pas_compte ne_tenez_pas_compte não_ligue kümmere_dich_nicht_um`,
	},
	{
		Means: "record",
		Words: `speichere speichern enregistre enregistrez guarda guarde registra registre salva salve сохрани сохраняй запиши 保存 记录 記錄 記録 저장 기록`,
	},
	{Means: "every", Words: `cada chaque jede jedes ogni каждый каждое 每个 每次 すべて 全部 모두`},
	{Means: "limit", Words: `normas reglas consignes règles norme regole regras`},
	{
		Means: "lift",
		Words: `gelten_nicht gilt_nicht gelten_nicht_mehr aufgehoben außer_kraft ne_s'appliquent_plus ne_s'applique_plus ne_valent_plus ya_no_se_aplican no_se_aplican
		ya_no_valen quedan_anuladas non_valgono_più non_valgono non_si_applicano não_valem_mais não_se_aplicam больше_не_действуют не_действуют
		отменены отменяются 失效 已经失效 不再适用 不再有效 无效 作废 適用されません 適用されない 無効 効力 적용되지 무효`,
	},
	{Means: "owner", Words: `betreiber opérateur operador operatore оператор`},
	{
		Means: "thistool",
		Words: `cet_outil-ci esta_herramienta dieses_werkzeug questo_tool este_servidor ce_serveur diesen_server`,
	},
	{Means: "always", Words: `immer toujours siempre sempre всегда 始终 总是 務必 务必 常に 必ず 항상 반드시`},
	{Means: "best", Words: `beste bestes meilleur meilleure mejor migliore melhor лучший 最好 最佳 最高の 최고의 最も`},
	{
		Means: "rival",
		Words: `anderen andere les_autres tous_les_autres otras otros altri altre outras outros другие других 其他任何 其他 ほかの 他の 다른`,
	},
	{
		Means: "prefer",
		Words: `nimm verwende nur_noch utilise_toujours utilisez_toujours usa_siempre use_siempre usa_sempre use_sempre 优先 優先 우선`,
	},
}

// further are the most important words of languages without a lexicon.
var further = scan.Lexicon{
	{Means: "ignore", Words: `تجاهل تجاهلوا انس انسى अनदेखा नज़रअंदाज़ भूल התעלם התעלמו`},
	{Means: "every", Words: `جميع كل كافة सभी सारे כל`},
	{Means: "prior", Words: `السابقة السابق पिछले पिछली पूर्व הקודמות הקודם`},
	{Means: "instr", Words: `التعليمات تعليمات الأوامر تعليماتك निर्देशों निर्देश आदेशों ההוראות ההנחיות`},
	{Means: "send", Words: `أرسل وأرسل ارسل भेजें भेजो भेज שלח שלחו`},
	{Means: "reveal", Words: `أظهر اكشف اعرض दिखाएं दिखाओ बताएं הצג חשוף`},
	{Means: "secret", Words: `المفاتيح كلمات كلمة_المرور पासवर्ड סיסמה סיסמאות`},
	{Means: "user", Words: `المستخدم उपयोगकर्ता המשתמש למשתמש`},
	{Means: "dont", Words: `لا ولا मत न אל ואל`},
	{Means: "tell", Words: `تخبر تخبره बताएं बताना תגיד תספר`},
	{Means: "system", Words: `النظام सिस्टम המערכת`},
	{Means: "prompt", Words: `प्रॉम्प्ट`},
}
